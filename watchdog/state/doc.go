// Package state says in what state a solver's run is, and in the end what became of it and whether its answer is
// usable.
//
// A Machine takes what a run reports, iteration by iteration: residuals of equations, values that somebody
// monitors (forces, flows, pressures), the solver's own sentences. While the run goes on it has one State, with
// reasons. When the run has ended, Final gives exactly one of the final states, the first that holds in the order of
// Order.
//
// # What the names of values mean
//
//	residual, residual_Ux    initial residual of an equation, at the beginning of an iteration
//	final_Ux, inner_Ux       its linear solver's last residual, and its iterations
//	target_Ux                what residual_Ux shall come down to
//	continuity_sum_local ... balance of mass, of the solver
//	courant, courant_max     Courant number; a run that reports it marches in time
//	timescale_min            local time step; the same
//	dt, clock, cpu           time step, wall-clock and processor time, s
//	iteration, time          where it is
//	mesh                     number of the mesh, of a solver that refines it: its residuals begin anew
//	anything else            a monitored value
//
// A warning with min_X or max_X says that a limiter acted on X.
//
// # How it judges
//
// Each residual and each value is a series of bounded memory: the last samples as they are, and blocks of samples
// over the whole run, whose size doubles as the run grows. Trends are straight lines through the logarithm of a
// residual by Theil and Sen's estimator (the median of the slopes of all pairs: Theil 1950, Sen 1968), which a third
// of outliers does not move; scatter is the median absolute deviation about that line. Swings are found by the
// periodogram of what remains when the line is taken away: regular ones have most of their power in a narrow band. Of
// a run of n iterations the last fifth is judged, at least 50 iterations: a window that grows with the run sees slow
// convergence and slow swings as well as fast ones.
//
// A slow swing, of few periods, must also repeat itself: a value that wanders has a slow period by chance.
//
// An equation falls if its line falls by more than its scatter over the window, and meets its target within ten times
// the iterations done; it stands if not; it grows if it stands an order above its best and near to its start. A run
// converges while all equations that are above their targets fall. What comes is forecast where it can be: that the
// line through a residual meets its target beyond the limit, and that a value comes to rest where physics forbids. A
// balance of mass that leaves all of its start while residuals stay there is lost, however few iterations there were.
// A state is left only for one that has held for some time, also at the run's end; see Machine.
package state
