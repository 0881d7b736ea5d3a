// Package zoom makes the performance map of a component from runs of a flow solver. It
// joins the 1-D engine model and the flow field: it plans the points that a map lacks,
// makes inlet profiles whose averages are the 1-D state, and averages the computed flow
// back to 1-D values.
//
//	operating points -> Builder -> jobs -> run.Study -> outcomes -> averages -> perfmap.Map
//
// Package run makes the runs, package plugin defines the protocol between host and solver,
// and package solver holds the built-in solvers.
package zoom
