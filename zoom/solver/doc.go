// Package solver serves the flow solvers that come with the program as plugins: what they
// take, what they give, and how they are held, saved and resumed.
package solver
