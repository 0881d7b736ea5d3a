// Package sweep solves a case at every point of a grid, and the design again where an
// axis is one of the design (a trade study).
package sweep
