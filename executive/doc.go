// Package executive runs engines: it opens an engine file's engine, solves its cases, zooms
// components, and judges runs and results by rules.
//
//	model   equations of an engine, steady and in time
//	sweep   a case over a grid
//	result  what comes out
//	report  tables, files, pictures
//	verify  comparison with published results
//	newton, ode   the solvers
package executive
