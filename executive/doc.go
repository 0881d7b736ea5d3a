// Package executive runs engines: it solves the cases of an engine file, zooms components, and
// checks runs and results against rules. It is the facade of its rooms:
//
//	model   equations of an engine, steady and in time
//	zooming components on maps of solvers' runs, and the engine on those
//	judging rules on runs and results
//	sweep   a case over a grid
//	result  results of cases
//	report  tables, files, pictures
//	view    progress of a study, drawn from its log
//	verify  comparison with published results
//	newton, ode   solvers of nonlinear and differential equations
package executive
