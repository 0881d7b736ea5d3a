package bladerow

// explicit makes one time-accurate step of dt, reference time, by the third-order
// strong-stability-preserving Runge-Kutta scheme (Shu and Osher, J. Comput. Phys. 77,
// 1988, p. 439). It is for unsteady verification; steady runs use implicit.
func (b *block) explicit(dt float64) bool {
	old := b.conserved()
	ok := true
	for _, stage := range [3][2]float64{{0, 1}, {0.75, 0.25}, {1.0 / 3, 2.0 / 3}} {
		b.residual()
		now := b.conserved()
		cells(b.n, func(i, j, k int) {
			c := b.at(i, j, k)
			var u [5]float64
			for v := range 5 {
				u[v] = stage[0]*old[v][c] + stage[1]*(now[v][c]-dt*b.r[v][c]/b.vol[c])
			}
			ok = b.setConserved(c, u) && ok
		})
	}
	return ok
}

// cells calls f for every cell of a block of n cells.
func cells(n [3]int, f func(i, j, k int)) {
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				f(i, j, k)
			}
		}
	}
}

// conserved returns a copy of the cells' state as conserved quantities per volume.
func (b *block) conserved() (u [5][]float64) {
	for v := range 5 {
		u[v] = make([]float64, b.size)
	}
	cells(b.n, func(i, j, k int) {
		c := b.at(i, j, k)
		rho, x, y, z := b.q[0][c], b.q[1][c], b.q[2][c], b.q[3][c]
		u[0][c], u[1][c], u[2][c], u[3][c] = rho, rho*x, rho*y, rho*z
		u[4][c] = b.q[4][c]/(b.gamma-1) + 0.5*rho*(x*x+y*y+z*z)
	})
	return u
}

// setConserved sets a cell's state from conserved quantities per volume, if density and
// pressure are positive.
func (b *block) setConserved(c int, u [5]float64) bool {
	x, y, z := u[1]/u[0], u[2]/u[0], u[3]/u[0]
	p := (b.gamma - 1) * (u[4] - 0.5*u[0]*(x*x+y*y+z*z))
	if !(u[0] > 0) || !(p > 0) {
		return false
	}
	b.setState(c, [5]float64{u[0], x, y, z, p})
	return true
}
