// Package graph turns an engine file into equations. It makes the components, wires their ports into a dataflow graph,
// sorts the graph in the order of flow, and assembles unknowns and residuals of all parts and balances into a square
// System:
//
//	F(x, y, y') = 0
//
// with the unknowns x and the states y of volumes, metal and shafts. At the design point and off design y' is 0
// (package steady); in time the states are given and the rates follow (package transient). Evaluation in the order of
// the graph needs no iteration between components: a variable that closes a loop is an unknown (Steward, "Partitioning
// and tearing systems of equations", SIAM J. Numerical Analysis 2, 1965).
//
// model.go has the Model and its evaluation, build.go and order.go its construction, reading.go the lookup of paths,
// memory.go the values that a solve changes, system.go the equations, and solve.go their solution by package newton.
package graph
