package bladerow

// explicit makes one time-accurate step of dt, reference time, by the third-order
// strong-stability-preserving Runge-Kutta scheme (Shu and Osher, J. Comput. Phys. 77,
// 1988, p. 439). It is for unsteady verification; steady runs use implicit.
func (b *block) explicit(dt float64) bool {
	old := b.conserved()
	ok := true
	for _, stage := range [3][2]float64{{0, 1}, {0.75, 0.25}, {1.0 / 3, 2.0 / 3}} {
		b.residual()
		// U = a U0 + c (U - dt r/vol), so that dU = a (U0 - U) - c dt r/vol.
		now := b.conserved()
		for v := range 5 {
			for c := range b.r[v] {
				if b.vol[c] > 0 {
					b.r[v][c] = stage[0]*(old[v][c]-now[v][c]) - stage[1]*dt*b.r[v][c]/b.vol[c]
				}
			}
		}
		ok = b.advance(1) && ok
	}
	return ok
}

// conserved returns a copy of the state as conserved quantities per volume.
func (b *block) conserved() (u [5][]float64) {
	for v := range 5 {
		u[v] = make([]float64, b.size)
	}
	for c := range b.size {
		rho, x, y, z := b.q[0][c], b.q[1][c], b.q[2][c], b.q[3][c]
		u[0][c], u[1][c], u[2][c], u[3][c] = rho, rho*x, rho*y, rho*z
		u[4][c] = b.q[4][c]/(b.gamma-1) + 0.5*rho*(x*x+y*y+z*z)
	}
	return u
}
