// Package zoom lets a component's answer come from runs of a flow solver. It holds the
// pieces that join a 1-D engine model to a flow field: the points that a map still lacks,
// radial profiles at the boundary that integrate to the 1-D state, and averages
// that bring the flow field back to 1-D values.
//
//	operating points -> Builder -> jobs -> run.Study -> outcomes -> averages -> perfmap.Map
//
// Package run makes the runs, package plugin is the protocol that solvers speak, and package
// solver holds those that come with the program.
package zoom
