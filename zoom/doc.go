// Package zoom makes the performance map of a component from runs of a flow solver. It
// joins the 1-D engine model and the flow field: it plans the points that a map lacks,
// makes inlet profiles whose averages are the 1-D state, and averages the computed flow
// back to 1-D values.
//
//	operating points -> Builder -> jobs -> run.Study -> outcomes -> averages -> perfmap.Map
//
// Answers that earlier studies of the same machine left in the cache count where a study would have to make a run:
// see earlier.go. A study that finds all that it requests in the cache takes nothing else from there, so that the
// same command has the same answer to the last bit, the second time without a run, whatever other studies have left
// meanwhile.
//
// Package run makes the runs, package plugin defines the protocol between host and solver,
// and package solver holds the built-in solvers.
package zoom
