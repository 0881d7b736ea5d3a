// Package example has two flow solvers that are no part of Peregrine: the smallest ones that
// a zoom can use, in Go and in Python, and the file that names them.
package example
