// Package sweep solves a case at every point of a grid. If an axis changes the design, it also
// solves the design at every value of that axis (a trade study).
package sweep
