// Package control holds what an engine's control is made of: sensors and actuators
// with lags, PI controllers that do not wind up, lead-lags, schedules over one or two
// signals, selection of the least or the greatest, formulas. A [Network] joins them.
// Nothing here refers to an engine: what is measured comes in as functions, what is demanded
// for goes out as numbers.
//
// A block makes one signal of others. Continuous blocks have states z,
//
//	dz/dt = f(z, u), y = g(z, u)
//
// which whoever integrates the engine integrates with the engine's. A block with a period
// looks at its inputs at multiples of that only, and holds its output in between
// (zero-order hold); its states then go from sample to sample by the exact solution
// for held inputs, so that it is the same block, sampled.
//
// Sources, cited by these names:
//
//   - Åström and Hägglund: PID Controllers: Theory, Design, and Tuning, 2nd ed., ISA 1995.
//   - Åström and Wittenmark: Computer-Controlled Systems, 3rd ed., Prentice Hall 1997.
//   - Jaw and Mattingly: Aircraft Engine Controls, AIAA 2009.
package control
