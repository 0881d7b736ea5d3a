// Package machine describes a zoomed component to its flow solver and to the engine.
//
//	point -> Wanted -> plugin.Request -> solver -> outcome -> averages -> answer of the component's model, and its error
//
// A [Machine] is a component at the engine's design point. Its kind (kind.go; compression, expansion, and the passages
// without blades of passage.go) has the coordinates of its behaviour, what a request gives a solver, what is read from
// the answer, and what is thought of the outputs before there are runs. Inlet profiles (profile.go, boundary.go)
// average to the engine's 1-D state; exit profiles are averaged to a point of a map (average.go), with what it may be
// off by. The names of inputs and outputs stand in machine.go and passage.go: a solver of any fidelity that uses them
// can replace another.
package machine
