// Package graph turns an engine file into equations. It makes the components, wires their ports into a dataflow graph,
// sorts that in the order of flow, and assembles unknowns and residuals of all parts and balances into a square System:
//
//	F(x, y, y') = 0
//
// with the unknowns x and the states y of what stores. At the design point and off design y' is 0 (package steady); in
// time the states are given and the rates follow (package transient). Evaluation in the order of the graph needs no
// iteration between components; what closes a circle is an unknown (Steward, "Partitioning and tearing systems of
// equations", SIAM J. Numerical Analysis 2, 1965).
//
// model.go has the Model and how it is evaluated, build.go and order.go how it is made, reading.go what a path names,
// memory.go the values that a solve changes, system.go the equations, and solve.go their solution by package newton.
package graph
