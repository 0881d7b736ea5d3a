// Package control holds the parts of an engine's control: sensors and actuators with lags, PI controllers with
// anti-windup, lead-lags, schedules over one or two signals, selection of the least or the greatest, formulas. A
// [Network] joins them. No type here refers to an engine: measurements are functions, demands are numbers.
//
// A block computes one signal from others. Continuous blocks have states z,
//
//	dz/dt = f(z, u), y = g(z, u)
//
// The caller integrates them together with the engine's states. A block with a period reads its inputs at multiples of
// the period only, and holds its output in between (zero-order hold). Its states then advance from sample to sample by
// the exact solution for held inputs, so that it is the same block, sampled.
//
// Sources, cited by these names:
//
//   - Åström and Hägglund: PID Controllers: Theory, Design, and Tuning, 2nd ed., ISA 1995.
//   - Åström and Wittenmark: Computer-Controlled Systems, 3rd ed., Prentice Hall 1997.
//   - Jaw and Mattingly: Aircraft Engine Controls, AIAA 2009.
package control
