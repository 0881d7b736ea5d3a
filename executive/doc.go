// Package executive runs engines: it solves the cases of an engine file, zooms components, and
// checks runs and results against rules.
//
//	model   equations of an engine, steady and in time
//	sweep   a case over a grid
//	result  results of cases
//	report  tables, files, pictures
//	verify  comparison with published results
//	newton, ode   solvers of nonlinear and differential equations
package executive
