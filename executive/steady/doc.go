// Package steady solves an engine's equations at the design point and at operating points,
//
//	F(x) = 0
//
// by Newton's method (package newton). A design starts from a cycle that closes (designstart.go). An operating point is
// solved from the previous solution; if one step is too long, by a walk in steps (walk.go), along the engine's
// operating line (operatingline.go) or along a curve of solutions by its arc length (continuation.go; H. B. Keller,
// Numerical solution of bifurcation and nonlinear eigenvalue problems, in Applications of Bifurcation Theory, Academic
// Press 1977). Limits replace targets by an active-set method (offdesign.go). If several solutions meet the targets,
// the answer is the solution on the operating line through the design point (solutionbranch.go).
//
//	OffDesign (offdesign.go) -> reach (case.go) -> walk (walk.go)
//	                                            -> operating line -> flight condition (flightpath.go) -> continuation
package steady
