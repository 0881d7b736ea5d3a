// Package watch judges solvers' runs by their files: the files of a folder are a run. It needs no other part of
// Peregrine.
package watch
