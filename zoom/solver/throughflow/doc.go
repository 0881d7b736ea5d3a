// Package throughflow computes the axisymmetric flow through the blade rows of a turbomachine: the Euler equations with
// swirl between hub and casing, marched in time to a steady state, with the rows as distributed forces.
//
// # Equations
//
// In the meridional plane (z, r), with b the share of the circumference that the blades leave free and A = b r,
//
//	d/dt (A U) + d/dz (A F) + d/dr (A G) = A S
//	U = (rho, rho Vz, rho Vr, rho r Vtheta, rho E)
//	F = (rho Vz, rho Vz^2 + p, rho Vz Vr, rho Vz r Vtheta, rho Vz H), G likewise
//	S = (0, p/A dA/dz + fz, p/A dA/dr + rho Vtheta^2/r + fr, r ftheta, omega r ftheta)
//
// (Baralon, Eriksson and Hall, ASME 98-GT-47; Sturmayr and Hirsch, ASME 99-GT-59; Simon and Leonard, ASME
// GT2005-68904.) f is the rows' force: see rowForce. The gas is perfect.
//
// # Scheme
//
// Cell-centred finite volumes, central fluxes with the artificial dissipation of Jameson, Schmidt and Turkel, second
// order; backward Euler in time with local steps, factored and diagonalised; coarser meshes first. The state at the end
// is that of the discrete conservation laws to Settings.Tolerance: mass and energy balance are reported with every
// Result.
//
// # Exit
//
// A static pressure, a throttle or a mass flow is given. A given flow is held by a throttle that is turned during the
// run, until the outflow agrees to 1e-4 and is steady (see march.Exit.Turn). Such a run costs about as much as a run by
// throttle, and also finds flows on a line's rising part, which no throttle holds. A flow that the rows cannot pass
// ends the run as not converged, "choked", as soon as it no longer rises while the pressure falls (see Solver.short); a
// flow that they cannot hold ends it as stalled.
//
// # Limits
//
// The solver neglects viscosity and heat conduction other than by the loss correlations, mixing across the span, tip
// clearance, part-span shrouds, and real-gas effects. Shocks appear as a loss, not as a jump: with the swirl
// prescribed, the flow is elliptic as long as the meridional Mach number is below 1.
//
// A row chokes by either of two limits: the throats between its blades, in their own frame (see rowForce.choke), and
// meridional flow that reaches Mach 1 in the annulus that the blades leave. On the E3 fan the two limits agree within 1
// % of flow. The throttle of a choked rotor still acts on the prescribed swirl where it chokes: the flow there has its
// greatest value near PR 1.48 and is 2 % less at PR 1.28, where a real choking line is vertical. Below that it may not
// settle.
package throughflow
