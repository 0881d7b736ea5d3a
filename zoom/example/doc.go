// Package example holds two minimal external flow solvers that a zoom can use, one in Go and
// one in Python, and the solver file that names them.
package example
