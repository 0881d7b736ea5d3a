// Package bladerow computes the three-dimensional viscous flow through rows of blades: the compressible
// Reynolds-averaged Navier-Stokes (or Euler) equations in each row's turning frame, marched to a steady state on
// structured H-meshes of one passage a row.
//
// # Equations
//
// For the absolute velocity V, in Cartesian axes that turn at omega about z, per cell
//
//	d/dt (vol U) + sum over faces (F - Fv).S + vol (0, rho omega x V, 0) = 0
//	U = (rho, rho V, rho E),  F.S = rho (V - omega x r).S (1, V, E) + p (0, S, V.S)
//
// written so that a uniform axial flow is preserved in any frame to round-off. The gas is perfect, its viscosity that
// of air. The turbulence model is Spalart and Allmaras's, with or without the helicity term, or Prandtl's mixing
// length, each with Spalding's law of the wall. Blades turn with the hub under them; the hub ahead of and behind them
// is at rest, as is the casing, below which a blade may end. A round trailing edge is closed by a wedge of dead water
// that bears no load. Rows meet at mixing planes that conserve mass, momentum and energy.
//
// # Scheme
//
// Cell-centred finite volumes; Roe's flux of states extrapolated to third order in one dimension (kappa = 1/3) under
// van Albada's limiter; full viscous gradients, second order; local time steps in two stages, each a symmetric
// Gauss-Seidel sweep over the Jacobian of Roe's first-order fluxes; full approximation scheme over coarser meshes,
// which also make the start. Goroutines share a run; its answer does not depend on their number. A resumed run
// continues bit by bit as the uninterrupted run.
//
// # Files
//
// In order of dependence: package mesh and metric are a passage and its geometry; block, boundary, the conditions
// (inflow, wall, mixing), flux, viscous, turbulence, residual and implicit the equations on one mesh; case, level,
// start, multigrid and station a case and the flow on the meshes of its rows; throttle, solver, steer, solution and
// meridional a run; package field, output and run its output. No file refers to a later group.
//
// # Verification
//
// Against exact solutions: uniform flow on a skewed annular mesh at rest and turning, Sod's tube, wedge, Prandtl-Meyer
// corner, supersonic vortex, Couette flow, a manufactured solution of the viscous equations in a turning frame. Against
// correlations: laminar and turbulent flat plates. Against measurement: NASA Rotor 67 (TestRotor67NearPeak on 46,080
// cells; TestRotor67, by make verify-bladerow, on three meshes), whose leading edge must be resolved: a first cell of a
// hundredth of the chord there costs more than a point of efficiency.
//
// # Limits
//
// The engine's own gas (gamma is constant), fillets and real tips (a blade is pinched to zero thickness at its gap),
// and unsteady flow are not modelled: mixing planes remove wakes.
package bladerow
