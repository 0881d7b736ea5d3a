// Package study tests studies that users make with the real program: zooms of the shipped examples, by OpenFOAM, by
// solvers of the user and on machines that ssh reaches, and studies that command lines, rules and scripts steer. It has
// tests only.
//
// It is a package of its own so that its tests, which take minutes, run beside those of cmd/peregrine.
package study
