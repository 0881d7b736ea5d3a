// Package bladerow computes the three-dimensional flow through the blade rows of a
// turbomachine: the compressible Euler or Navier-Stokes equations in the turning
// frame, marched to a steady state on structured blocks.
//
// What stands: the discrete equations of one block and their implicit iteration,
// tested against exact inviscid flows. What is missing: everything that makes a
// blade row of it.
package bladerow
