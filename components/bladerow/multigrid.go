package bladerow

// The full approximation scheme (Brandt, Math. Comp. 31, 1977, p. 333; for the Euler
// equations Jameson, Appl. Math. Comp. 13, 1983, p. 327): a coarser mesh takes the
// volume-weighted means of the flow and the sums of the residuals, steps with the
// difference of these sums and its own residual as a source, and hands back the
// change. Coarse meshes compute first-order fluxes, their eddy variable stays as
// restricted.

// cycle makes one V-cycle that starts on levels[at]: a step there and on every coarser
// mesh, and the corrections back up. (With two cycles on the coarser mesh in one the
// flow of Rotor 67 swings between inlet and exit.)
func cycle(levels []*level, at int, cfl float64) bool {
	l := levels[at]
	ok := l.smoothen(cfl)
	if at == 0 {
		return ok
	}
	c := levels[at-1]
	l.residual()
	l.restrict(c)
	cycle(levels, at-1, cfl)
	c.correct(l)
	return ok
}

// smoothen makes one implicit step without the turbulence model.
func (l *level) smoothen(cfl float64) bool {
	l.residual()
	l.last = l.norm()
	l.first = max(l.first, l.last)
	l.radii()
	l.implicit(cfl)
	return l.advance(1)
}

// restrict gives c the flow of l and the source that makes l's residual its own.
func (l *level) restrict(c *level) {
	if c.src[0] == nil {
		for v := range 5 {
			c.src[v], c.base[v] = make([]float64, c.size), make([]float64, c.size)
		}
	}
	sums := c.base // until the source is known
	c.slabs(func(_ *scratch, k0, k1 int) {
		for k := k0; k < k1; k++ {
			for j := range c.n[1] {
				for i := range c.n[0] {
					l.gather(c, i, j, k, &sums)
				}
			}
		}
	})
	for v := range 5 {
		clear(c.src[v])
	}
	c.firstOrder = true
	c.residual()
	for v := range 5 {
		for n, r := range c.r[v] {
			c.src[v][n] = sums[v][n] - r
		}
		copy(c.base[v], c.q[v])
	}
}

// gather sets coarse cell (i,j,k) to the means of its eight, and its sums.
func (l *level) gather(c *level, i, j, k int, sums *[5][]float64) {
	var q, r [5]float64
	vol, nt := 0.0, 0.0
	for n := range 8 {
		f := l.at(2*i+n&1, 2*j+n>>1&1, 2*k+n>>2)
		v := l.vol[f]
		vol += v
		for x := range 5 {
			q[x] += v * l.q[x][f]
			r[x] += l.r[x][f]
		}
		if l.visc != nil {
			nt += v * l.visc.nt[f]
		}
	}
	at := c.at(i, j, k)
	for x := range 5 {
		c.q[x][at], sums[x][at] = q[x]/vol, r[x]
	}
	if c.visc != nil {
		c.visc.nt[at] = nt / vol
	}
}

// correct adds to l what the cycle has changed on c, by the value of the coarse cell
// that each lies in. A cell that would lose more than half of its density or pressure
// stays.
func (c *level) correct(l *level) {
	c.firstOrder = false
	c.slabs(func(_ *scratch, k0, k1 int) {
		for k := 2 * k0; k < 2*k1; k++ {
			for j := range l.n[1] {
				for i := range l.n[0] {
					f, n := l.at(i, j, k), c.at(i/2, j/2, k/2)
					var q [5]float64
					for v := range 5 {
						q[v] = l.q[v][f] + c.q[v][n] - c.base[v][n]
					}
					if q[0] > 0.5*l.q[0][f] && q[4] > 0.5*l.q[4][f] {
						l.setState(f, q)
					}
				}
			}
		}
	})
}
