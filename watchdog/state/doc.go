// Package state judges the state of a solver's run, and at its end the outcome and whether its answer is usable.
//
// A Machine takes the reports of a run, iteration by iteration: residuals of equations, monitored values (forces,
// flows, pressures), the solver's own sentences. While the run is running it has one State, with reasons. When the run
// has ended, Final gives exactly one of the final states, the first that holds in the order of Order.
//
// # Names of values
//
//	residual, residual_Ux    initial residual of an equation, at the beginning of an iteration
//	final_Ux, inner_Ux       its linear solver's last residual, and its iterations
//	target_Ux                target of residual_Ux
//	continuity_sum_local ... balance of mass, of the solver
//	courant, courant_max     Courant number; a run that reports it marches in time
//	dt                       time step, s; the same
//	timescale_min            local time step: the run marches to a steady flow
//	corrections              inner iterations of a time step: it met its tolerance, in a warning: it missed it
//	clock, cpu               wall-clock and processor time, s
//	iteration, time          position of the run
//	mesh                     number of the mesh, of a solver that refines it: its residuals begin anew
//	any other name           a monitored value
//
// A warning with min_X or max_X means that a limiter acted on X.
//
// # Method
//
// Each residual and each value is a series of bounded memory: the last samples in full, and blocks of samples over the
// whole run, whose size doubles as the run grows. Trends are straight lines through the logarithm of a residual by
// Theil and Sen's estimator (the median of the slopes of all pairs: Theil 1950, Sen 1968), which a third of outliers
// does not move. Scatter is the median absolute deviation about that line. Swings are found by the periodogram of the
// deviations from the line: regular swings have most of their power in a narrow band. Of a run of n iterations the last
// fifth is judged, at least 50 iterations: a window that grows with the run sees slow convergence and slow swings as
// well as fast ones.
//
// A slow swing, of few periods, must also repeat itself: a value that wanders has a slow period by chance.
//
// An equation falls if its line falls by more than its scatter over the window, and meets its target within ten times
// the iterations done; else it stagnates. It grows if it is an order above its best and near to its start. A run
// converges while all equations that are above their targets fall. Two forecasts are made where possible: the line
// through a residual meets its target beyond the limit, and a value comes to rest where physics forbids. A balance of
// mass that exceeds all of its start while residuals stay there is lost, after any number of iterations. A state is
// left only for another that has held for some time, also at the run's end; see Machine.
//
// Some evidence does not count: a value that moved and then stopped from one sample to the next (a dead sensor), values
// at rest while the balance of mass is above 1 or an inlet's flow is not its outlet's, a peak that has passed. A value
// that swings on counts though residuals fall. A state that changes more than thrice in a tenth of the run is kept.
//
// A run in time is judged by other signs. It marches by time steps or Courant numbers that it reports, or all of its
// files count in times that are no whole numbers. Its residuals show whether the flow became steady, and nothing else.
// It runs away if its Courant number, an energy or its balance of mass comes to ten times all that it was before, and
// grows fast; a wave that passes does not. Its values may settle, or swing about a mean, whose error the averages over
// two halves of a window give.
package state
