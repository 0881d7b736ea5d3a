package bladerow

// Prandtl's mixing length, as a cheap model of turbulence:
//
//	eddy viscosity = rho l^2 |curl V|,  l = kappa d as far as a limit
//
// with d the distance from the nearest wall. The limit is 3 % of the pitch half way up
// the span, after Denton (ASME 92-GT-295). The first cell at a wall takes its value from
// the law of the wall. It is kept as the eddy variable, nt = l^2 |curl V|; half of each
// change is taken, so that layers and their viscosity settle together.
func (b *block) mixingLength() {
	v := b.visc
	b.lines(func(j, k int) {
		o := b.at(0, j, k)
		for c := o; c < o+b.n[0]; c++ {
			l := min(kappa*float64(v.dist[c]), v.longest)
			v.nt[c] += 0.5 * (l*l*b.vorticity(c) - v.nt[c])
		}
	})
}

// vorticity returns |curl V| of the absolute velocity in a cell.
func (b *block) vorticity(c int) float64 {
	m := b.metric
	var curl vec
	for d := range 3 {
		lo, hi := c-b.stride[d], c+b.stride[d]
		mean := vec{
			m.s[d][0][c] + m.s[d][0][hi], m.s[d][1][c] + m.s[d][1][hi], m.s[d][2][c] + m.s[d][2][hi],
		}.times(0.25)
		curl = curl.add(mean.cross(vec{b.q[1][hi] - b.q[1][lo], b.q[2][hi] - b.q[2][lo], b.q[3][hi] - b.q[3][lo]}))
	}
	return curl.norm() / b.vol[c]
}
