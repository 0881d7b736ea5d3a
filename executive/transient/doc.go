// Package transient integrates an engine in time. The states y are the speeds of the shafts, the contents of volumes,
// the temperatures of metal and the states of controls; all other unknowns x solve the engine's equations at each
// instant:
//
//	dy/dt = f(y, x),  0 = g(y, x, u(t))
//
// with the scheduled inputs u. This differential-algebraic system of index 1 becomes an ordinary one by solving g for x
// at each evaluation of f (dynamics.go); package ode integrates it. setup.go makes the equations of a case, timeloop.go
// integrates from one kink of the schedules to the next, poststep.go records each step, and termination.go reports why
// a transient ended early. A transient can be steered (steering.go) and resumed from a checkpoint to the last bit.
//
// pseudotransient.go finds a steady operating point by integration in time.
package transient
