// Package bladerow computes the three-dimensional viscous flow through one row of
// blades: the compressible Reynolds-averaged Navier-Stokes (or Euler) equations in the
// turning frame, marched to a steady state on a structured H-mesh of one passage.
//
// # Equations
//
// For the absolute velocity V, in Cartesian axes that turn at omega about z, per cell
//
//	d/dt (vol U) + sum over faces (F - Fv).S + vol (0, rho omega x V, 0) = 0
//	U = (rho, rho V, rho E),  F.S = rho (V - omega x r).S (1, V, E) + p (0, S, V.S)
//
// written so that a uniform axial flow stays as it is in any frame to round-off. The
// gas is perfect, its viscosity that of air; turbulence by Spalart and Allmaras's
// model with Spalding's law of the wall. Hub and blades turn, the casing stands.
//
// # Scheme
//
// Cell-centred finite volumes; Roe's flux of states extrapolated to third order in one
// dimension (kappa = 1/3) under van Albada's limiter; full viscous gradients, second
// order; local time steps by LU-SGS; full approximation scheme over coarser meshes,
// which also make the start. Goroutines share one run; its answer does not depend on
// their number. A run that was saved goes on bit by bit as it would have.
//
// # What stands
//
// The discrete equations, against exact solutions: uniform flow on a skewed annular
// mesh at rest and turning, Sod's tube, wedge, Prandtl-Meyer corner, supersonic vortex,
// Couette flow, Blasius's plate, a manufactured solution of the viscous equations in a
// turning frame. NASA Rotor 67 without its tip gap near choking: torque equals the gas's
// gain, flow in equals flow out.
//
// # What is missing
//
// Tip gaps, several rows and mixing planes, mixing-length turbulence, the engine's gas,
// smoothing of meshes; a validation: no grid study has been made, and pressure ratio and efficiency
// of Rotor 67 have not been held to the measurement. The exit plane reflects waves, which
// makes up most of the iterations of a run.
package bladerow
