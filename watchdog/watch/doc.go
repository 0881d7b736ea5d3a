// Package watch judges solvers' runs by their files: those of one folder are one run. It needs nothing else of
// Peregrine.
package watch
