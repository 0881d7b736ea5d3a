package bladerow

// The residual of the Euler or Navier-Stokes equations in the turning frame. Per
// cell
//
//	d/dt (vol U) = -r,   U = (rho, rho V, rho E)
//	r = sum over faces (F - Fv).S  +  vol (0, rho omega x V, 0)  +  src
//	F.S = rho (V - omega x r).S (1, V, E) + p (0, S, V.S)
//
// with V the absolute velocity: written so, a uniform axial flow stays as it is in
// any frame, to round-off.

// residual sets b.r from b.q. The result does not depend on the number of workers.
func (b *block) residual() {
	b.boundaries()
	if b.visc != nil {
		b.refresh()
		if b.visc.nt != nil {
			b.eddy()
		}
	}
	b.sum()
}

// residualKeepingEddy is residual with the eddy viscosity kept: it is constant within an iteration.
func (b *block) residualKeepingEddy() {
	b.boundaries()
	if b.visc != nil {
		b.refresh()
	}
	b.sum()
}

// sum adds up the fluxes into b.r.
func (b *block) sum() {
	b.slabs(func(w *scratch, k0, k1 int) {
		for j := range b.n[1] {
			b.fluxes(w, 2, b.at(0, j, k0), b.n[0])
			b.close(w.line, kLo, k0 == 0, j, 0)
			for v := range 5 {
				copy(w.lower[v][j*b.n[0]:(j+1)*b.n[0]], w.line.f[v])
			}
		}
		for k := k0; k < k1; k++ {
			b.plane(w, k)
		}
	})
}

// plane computes a k-plane; w.lower holds the fluxes from below.
func (b *block) plane(w *scratch, k int) {
	ni, nj := b.n[0], b.n[1]
	l := w.line
	for j := range nj {
		o := b.at(0, j, k)
		if j == 0 {
			b.fluxes(w, 1, o, ni)
			b.close(l, jLo, true, 0, k)
			l.keep(ni)
		}
		b.fluxes(w, 0, o, ni+1)
		b.closeEnds(l, j, k)
		b.along(l, o)
		b.fluxes(w, 1, o+b.stride[1], ni)
		b.close(l, jHi, j == nj-1, 0, k)
		b.across(l, o, &l.prev, 0)
		b.fluxes(w, 2, o+b.stride[2], ni)
		b.close(l, kHi, k == b.n[2]-1, j, 0)
		b.across(l, o, &w.lower, j*ni)
		b.sources(o)
	}
}

// fluxes sets the fluxes of n faces of direction d; o is the cell above the first.
func (b *block) fluxes(w *scratch, d, o, n int) {
	s, l := b.stride[d], w.line
	if b.firstOrder {
		for v := range 5 {
			plain(l.l[v][:n], l.r[v][:n], b.q[v][o-s:], b.q[v][o:])
		}
	} else {
		l.states(n, &b.q, o, s)
	}
	m := b.metric
	l.roe(n, m.s[d][0][o:], m.s[d][1][o:], m.s[d][2][o:], m.g[d][o:], b.omega, b.gamma)
	if b.visc != nil {
		b.viscous(w, d, o, n)
	}
}

// keep saves the first n fluxes as the fluxes of the previous line.
func (l *line) keep(n int) {
	for v := range 5 {
		copy(l.prev[v][:n], l.f[v][:n])
	}
}

// along sets the residuals of the line of cells at o to the differences of the fluxes.
func (b *block) along(l *line, o int) {
	n, f, r := b.n[0], &l.f, &b.r
	if avx2 {
		alongAVX2(n, &[10][]float64{
			r[0][o : o+n], r[1][o : o+n], r[2][o : o+n], r[3][o : o+n], r[4][o : o+n],
			f[0][:n+1], f[1][:n+1], f[2][:n+1], f[3][:n+1], f[4][:n+1],
		}, 1)
		return
	}
	for v := range 5 {
		along(r[v][o:o+n], f[v])
	}
}

// across adds to the residuals of the line of cells at o the differences of l.f and the fluxes in lower from its
// element at, and stores l.f in lower.
func (b *block) across(l *line, o int, lower *[5][]float64, at int) {
	n, f, r := b.n[0], &l.f, &b.r
	if avx2 {
		acrossAVX2(n, &[15][]float64{
			r[0][o : o+n], r[1][o : o+n], r[2][o : o+n], r[3][o : o+n], r[4][o : o+n],
			f[0][:n], f[1][:n], f[2][:n], f[3][:n], f[4][:n],
			lower[0][at : at+n], lower[1][at : at+n], lower[2][at : at+n], lower[3][at : at+n], lower[4][at : at+n],
		})
		return
	}
	for v := range 5 {
		across(r[v][o:o+n], f[v], lower[v][at:at+n])
	}
}

// along sets r to the differences of the fluxes along a line of cells.
func along(r, f []float64) {
	f = f[:len(r)+1]
	lo := f[0]
	for i, hi := range f[1:] {
		r[i] = hi - lo
		lo = hi
	}
}

// across adds to r the difference of two lines of fluxes, and puts the upper in the
// place of the lower.
func across(r, hi, lo []float64) {
	hi, lo = hi[:len(r)], lo[:len(r)]
	for i := range r {
		r[i] += hi[i] - lo[i]
		lo[i] = hi[i]
	}
}

func (b *block) sources(o int) {
	n := b.n[0]
	if b.omega != 0 {
		rho, u, v, vol := b.q[0][o:o+n], b.q[1][o:o+n], b.q[2][o:o+n], b.vol[o:o+n]
		r1, r2 := b.r[1][o:o+n], b.r[2][o:o+n]
		for i := range rho {
			m := b.omega * rho[i] * vol[i]
			r1[i] -= m * v[i]
			r2[i] += m * u[i]
		}
	}
	if b.src[0] != nil {
		for v := range 5 {
			r, s := b.r[v][o:o+n], b.src[v][o:o+n]
			for i := range r {
				r[i] += s[i]
			}
		}
	}
}
