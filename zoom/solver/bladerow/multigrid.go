package bladerow

// The full approximation scheme (Brandt, Math. Comp. 31, 1977, p. 333; for the Euler
// equations Jameson, Appl. Math. Comp. 13, 1983, p. 327): a coarser mesh takes the
// volume-weighted means of the flow and the sums of the residuals, steps with the
// difference of these sums and its own residual as a source, and hands back the
// change. Coarse meshes compute first-order fluxes, their eddy variable stays as
// restricted.

// cycle makes a V-cycle that starts on levels[at]: a step there and on every coarser mesh, and the corrections back up.
func cycle(levels []*level, at int, cfl float64) bool {
	l := levels[at]
	if l.regions != nil {
		l.regions.level.Enter()
		defer l.regions.level.Leave()
	}
	ok := l.smoothen(cfl)
	if at == 0 {
		return ok
	}
	c := levels[at-1]
	l.residualKeepingEddy()
	l.restrict(c)
	cycle(levels, at-1, cfl)
	c.correct(l)
	return ok
}

// smoothen makes a step without the turbulence model.
func (l *level) smoothen(cfl float64) bool {
	norm, ok := l.step(cfl)
	l.last = norm
	l.first = max(l.first, norm)
	return ok
}

// restrict gives c the flow of l and the source that makes l's residual its own.
func (l *level) restrict(c *level) {
	if c.src[0] == nil {
		for v := range 5 {
			c.src[v], c.base[v] = make([]float64, c.size), make([]float64, c.size)
		}
	}
	sums := c.base // until the source is known
	c.lines(func(j, k int) {
		for i := range c.n[0] {
			l.gather(c, i, j, k, &sums)
		}
		for v := range 5 {
			o := c.at(0, j, k)
			clear(c.src[v][o : o+c.n[0]])
		}
	})
	c.firstOrder = true
	c.residual()
	c.lines(func(j, k int) {
		o, n := c.at(0, j, k), c.n[0]
		for v := range 5 {
			src, base, r := c.src[v][o:o+n], c.base[v][o:o+n], c.r[v][o:o+n]
			for i := range src {
				src[i] = base[i] - r[i]
			}
			copy(base, c.q[v][o:o+n])
		}
	})
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

// correct adds to l the changes of the cycle on c, interpolated trilinearly in the indices. A cell that would lose more
// than half of its density or pressure keeps its state. So do cells at no-slip walls, where corrections make the
// corners of a rotor's passage oscillate: they follow their neighbours in the next step.
func (c *level) correct(l *level) {
	c.firstOrder = false
	c.changes()
	l.lines(func(j, k int) {
		for i := range l.n[0] {
			l.addChange(c, i, j, k)
		}
	})
}

// changes turns c.base into the changes of the cycle, and continues them into the ghost cells.
func (c *level) changes() {
	c.slabs(func(_ *scratch, k0, k1 int) {
		for k := k0; k < k1; k++ {
			for v := range 5 {
				c.changed(v, k)
			}
		}
	})
	for v := range 5 {
		d := c.base[v]
		lo, hi := c.at(-1, -1, 0), c.at(-1, -1, c.n[2]-1)
		size := (c.n[1] + 2) * c.stride[1]
		copy(d[lo-c.stride[2]:][:size-2], d[lo:])
		copy(d[hi+c.stride[2]:][:size-2], d[hi:])
	}
}

// changed is changes for a single variable in a single plane.
func (c *level) changed(v, k int) {
	q, d := c.q[v], c.base[v]
	for j := range c.n[1] {
		o := c.at(0, j, k)
		for x := o; x < o+c.n[0]; x++ {
			d[x] = q[x] - d[x]
		}
		d[o-1], d[o+c.n[0]] = d[o], d[o+c.n[0]-1]
	}
	lo, hi := c.at(-1, 0, k), c.at(-1, c.n[1]-1, k)
	copy(d[lo-c.stride[1]:][:c.n[0]+2], d[lo:])
	copy(d[hi+c.stride[1]:][:c.n[0]+2], d[hi:])
}

// addChange adds the change of c at cell (i,j,k) of l, interpolated.
func (l *level) addChange(c *level, i, j, k int) {
	f, n := l.at(i, j, k), c.at(i/2, j/2, k/2)
	si, sj, sk := (2*(i&1)-1)*c.stride[0], (2*(j&1)-1)*c.stride[1], (2*(k&1)-1)*c.stride[2]
	if l.atNoSlipWall(i, j, k) {
		return
	}
	var q [5]float64
	for v := range 5 {
		d := c.base[v]
		a := 27*d[n] + 9*(d[n+si]+d[n+sj]+d[n+sk]) + 3*(d[n+si+sj]+d[n+si+sk]+d[n+sj+sk]) + d[n+si+sj+sk]
		q[v] = l.q[v][f] + a/64
	}
	if q[0] > 0.5*l.q[0][f] && q[4] > 0.5*l.q[4][f] {
		l.setState(f, q)
	}
}

// atNoSlipWall reports whether cell (i,j,k) lies at a no-slip wall.
func (b *block) atNoSlipWall(i, j, k int) bool {
	if b.visc == nil {
		return false
	}
	n := b.n
	on := func(s side, here bool, at int) bool { return here && b.closed[s] != nil && b.closed[s][at] == solid }
	return on(jLo, j == 0, k*n[0]+i) || on(jHi, j == n[1]-1, k*n[0]+i) ||
		on(kLo, k == 0, j*n[0]+i) || on(kHi, k == n[2]-1, j*n[0]+i)
}

// iterate makes an iteration on the meshes number at of all rows, with a cycle over the coarser meshes, and reports
// whether all states are still valid.
func iterate(rows [][]*level, at int, cfl float64) bool {
	for n := 1; n < len(rows); n++ {
		exchangeMeans(rows[n-1], rows[n], at)
	}
	ok := true
	for _, levels := range rows {
		l := levels[at]
		for v := range 5 {
			l.src[v] = nil
		}
		ok = cycle(levels, at, cfl) && ok
		l.turbulence()
	}
	return ok
}

// exchangeMeans gives either side of a mixing plane the means of the other: on mesh at the means of each strip, on the
// coarser meshes the means of pairs of strips.
func exchangeMeans(up, down []*level, at int) {
	a, b := up[at].mixOut, down[at].mixIn
	up[at].boundaries()
	down[at].boundaries()
	toDown, toUp := append([]mixed(nil), a.mean...), append([]mixed(nil), b.mean...)
	for m := at; m >= 0; m-- {
		up[m].mixOut.other, down[m].mixIn.other = toUp, toDown
		toUp, toDown = pairs(toUp), pairs(toDown)
	}
}
