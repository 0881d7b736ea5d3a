// Package example holds two minimal external flow solvers that a zoom can use, in Go and in Python, and the solver file
// that names them.
package example
