// Package machine describes a zoomed component to its flow solver and to the engine.
//
//	point -> Wanted -> plugin.Request -> solver -> outcome -> averages -> answer of the component's model, and its error
//
// A [Machine] is a component at the engine's design point. Its kind (kind.go; compression, expansion, and the passages
// without blades of passage.go) defines the coordinates of its behaviour, the inputs of a request, the outputs read
// from the answer, and the prior of the model's outputs. Inlet profiles (profile.go, boundary.go) average to the
// engine's 1-D state. Exit profiles are averaged to a point of a map, with its error (average.go). The names of inputs
// and outputs are in machine.go and passage.go: a solver of any fidelity that uses them can replace another.
package machine
