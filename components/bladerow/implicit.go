package bladerow

// The implicit step: lower-upper symmetric Gauss-Seidel (Yoon and Jameson, AIAA
// Journal 26, 1988, p. 1025) without stored matrices. With A+- = (A +- lambda)/2,
//
//	D dU* = -r + sum over lower faces  A+ dU*     of the cell below
//	D dU  = D dU* - sum over upper faces A- dU    of the cell above
//	D = vol/dt + over sum of lambda,  dt = cfl vol / sum of lambda
//
// where A dU is the exact change of the inviscid flux.

// robust is how much the diagonal exceeds that of the first-order fluxes in a rotor,
// because the residual is of second order: with 1.0 a viscous Rotor 67 does not settle
// above a Courant number of 5, with 1.5 it does at any, with 2 it takes twice as long.
const robust = 1.5

// implicit replaces the residual b.r by the change of the conserved quantities.
// Through periodic sides the backward sweep takes what the forward sweep found, the
// forward sweep nothing. Workers share the j-lines and follow one another from plane to plane, so that the
// result does not depend on their number.
func (b *block) implicit(cfl float64) {
	diag := b.over + 1/cfl
	nk := b.n[2]
	b.pipeline(func(w *scratch, step, j0, j1 int) {
		for j := j0; j < j1; j++ {
			b.forward(w.line, j, step, diag)
		}
	})
	for n := range b.patches {
		if c, ok := b.patches[n].cond.(periodic); ok && b.patches[n].side.upper() {
			c.carry(b, &b.patches[n])
		}
	}
	b.pipeline(func(w *scratch, step, j0, j1 int) {
		n := b.n[1]
		for j := n - 1 - j0; j > n-1-j1; j-- {
			b.backward(w.line, j, nk-1-step, diag)
		}
	})
}

// pipeline calls f for every plane and every worker's share of its lines, each
// share after that of the worker before.
func (b *block) pipeline(f func(w *scratch, step, j0, j1 int)) {
	n, nj, nk := min(b.workers, b.n[1]), b.n[1], b.n[2]
	if n == 1 {
		for k := range nk {
			f(b.scratch[0], k, 0, nj)
		}
		return
	}
	done := make([]chan struct{}, n)
	for w := range done {
		done[w] = make(chan struct{}, nk)
	}
	b.team(n, func(w int) {
		for k := range nk {
			if w > 0 {
				<-done[w-1]
			}
			f(b.scratch[w], k, nj*w/n, nj*(w+1)/n)
			done[w] <- struct{}{}
		}
	})
}

func (b *block) forward(l *line, j, k int, diag float64) {
	n := b.n[0]
	o := b.at(0, j, k)
	for v := range 5 {
		negate(l.f[v][:n], b.r[v][o:])
	}
	if j > 0 {
		b.couple(l, 1, o-b.stride[1], o, 1)
	}
	if k > 0 {
		b.couple(l, 2, o-b.stride[2], o, 1)
	}
	b.chain(l, o, diag)
}

func (b *block) backward(l *line, j, k int, diag float64) {
	n := b.n[0]
	o := b.at(0, j, k)
	for v := range 5 {
		clear(l.f[v][:n])
	}
	b.couple(l, 1, o+b.stride[1], o+b.stride[1], -1)
	b.couple(l, 2, o+b.stride[2], o+b.stride[2], -1)
	b.chainBack(l, o, diag)
}

func negate(out, a []float64) {
	a = a[:len(out)]
	for i := range out {
		out[i] = -a[i]
	}
}

// couple adds to l.f what the line of neighbours at nb sends through the faces at
// face, of direction d: sign (A dU + sign lambda dU)/2.
func (b *block) couple(l *line, d, nb, face int, sign float64) {
	n := b.n[0]
	m := b.metric
	x, y, z, g := m.s[d][0][face:face+n], m.s[d][1][face:face+n], m.s[d][2][face:face+n], m.g[d][face:face+n]
	rho, u, v, w, p := b.q[0][nb:nb+n], b.q[1][nb:nb+n], b.q[2][nb:nb+n], b.q[3][nb:nb+n], b.q[4][nb:nb+n]
	d0, d1, d2, d3, d4 := b.r[0][nb:nb+n], b.r[1][nb:nb+n], b.r[2][nb:nb+n], b.r[3][nb:nb+n], b.r[4][nb:nb+n]
	lam := b.lam[d][nb : nb+n]
	f0, f1, f2, f3, f4 := l.f[0][:n], l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	g1 := b.gamma - 1
	half := 0.5 * sign
	for i := range rho {
		sx, sy, sz := x[i], y[i], z[i]
		a, bb, c, e, h := d0[i], d1[i], d2[i], d3[i], d4[i]
		ui, vi, wi := u[i], v[i], w[i]
		vn := ui*sx + vi*sy + wi*sz
		k := 0.5 * (ui*ui + vi*vi + wi*wi)
		dm := bb*sx + c*sy + e*sz - vn*a
		dp := g1 * (h - ui*bb - vi*c - wi*e + k*a)
		ht := b.gamma/g1*p[i]/rho[i] + k
		sl := vn - b.omega*g[i] + sign*lam[i]
		f0[i] += half * (dm + sl*a)
		f1[i] += half * (ui*dm + dp*sx + sl*bb)
		f2[i] += half * (vi*dm + dp*sy + sl*c)
		f3[i] += half * (wi*dm + dp*sz + sl*e)
		f4[i] += half * (ht*dm + dp*vn + sl*h)
	}
}

// chain solves the line at o from its lower end, with l.f as its right-hand side.
func (b *block) chain(l *line, o int, diag float64) {
	n := b.n[0]
	m := b.metric
	x, y, z, g := m.s[0][0][o:o+n], m.s[0][1][o:o+n], m.s[0][2][o:o+n], m.g[0][o:o+n]
	rho, u, v, w, p := b.q[0][o:o+n], b.q[1][o:o+n], b.q[2][o:o+n], b.q[3][o:o+n], b.q[4][o:o+n]
	d0, d1, d2, d3, d4 := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n]
	l0, l1, l2 := b.lam[0][o:o+n], b.lam[1][o:o+n], b.lam[2][o:o+n]
	f0, f1, f2, f3, f4 := l.f[0][:n], l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	g1 := b.gamma - 1
	cp := b.gamma / g1
	var a, bb, c, e, h float64 // of the cell before, and its state
	var ui, vi, wi, k, ht, lam float64
	for i := range rho {
		sx, sy, sz := x[i], y[i], z[i]
		vn := ui*sx + vi*sy + wi*sz
		dm := bb*sx + c*sy + e*sz - vn*a
		dp := g1 * (h - ui*bb - vi*c - wi*e + k*a)
		sl := vn - b.omega*g[i] + lam
		inv := 1 / (diag * (l0[i] + l1[i] + l2[i]))
		a = inv * (f0[i] + 0.5*(dm+sl*a))
		bb = inv * (f1[i] + 0.5*(ui*dm+dp*sx+sl*bb))
		c = inv * (f2[i] + 0.5*(vi*dm+dp*sy+sl*c))
		e = inv * (f3[i] + 0.5*(wi*dm+dp*sz+sl*e))
		h = inv * (f4[i] + 0.5*(ht*dm+dp*vn+sl*h))
		d0[i], d1[i], d2[i], d3[i], d4[i] = a, bb, c, e, h
		ui, vi, wi, lam = u[i], v[i], w[i], l0[i]
		k = 0.5 * (ui*ui + vi*vi + wi*wi)
		ht = cp*p[i]/rho[i] + k
	}
}

// chainBack solves the line at o from its upper end; l.f holds what the other
// directions send.
func (b *block) chainBack(l *line, o int, diag float64) {
	n := b.n[0]
	m := b.metric
	x, y, z, g := m.s[0][0][o+1:o+1+n], m.s[0][1][o+1:o+1+n], m.s[0][2][o+1:o+1+n], m.g[0][o+1:o+1+n]
	rho, u, v, w, p := b.q[0][o:o+n], b.q[1][o:o+n], b.q[2][o:o+n], b.q[3][o:o+n], b.q[4][o:o+n]
	d0, d1, d2, d3, d4 := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n]
	l0, l1, l2 := b.lam[0][o:o+n], b.lam[1][o:o+n], b.lam[2][o:o+n]
	f0, f1, f2, f3, f4 := l.f[0][:n], l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	g1 := b.gamma - 1
	cp := b.gamma / g1
	// Of the cell behind, and its state; the change is 0 unless the ghost is joined.
	a, bb, c, e, h := b.r[0][o+n], b.r[1][o+n], b.r[2][o+n], b.r[3][o+n], b.r[4][o+n]
	ui, vi, wi, lam := b.q[1][o+n], b.q[2][o+n], b.q[3][o+n], b.lam[0][o+n]
	k := 0.5 * (ui*ui + vi*vi + wi*wi)
	ht := cp*b.q[4][o+n]/b.q[0][o+n] + k
	for i := n - 1; i >= 0; i-- {
		sx, sy, sz := x[i], y[i], z[i]
		vn := ui*sx + vi*sy + wi*sz
		dm := bb*sx + c*sy + e*sz - vn*a
		dp := g1 * (h - ui*bb - vi*c - wi*e + k*a)
		sl := vn - b.omega*g[i] - lam
		inv := 1 / (diag * (l0[i] + l1[i] + l2[i]))
		// couple has put the minus sign of A- into l.f already.
		a = d0[i] + inv*(f0[i]-0.5*(dm+sl*a))
		bb = d1[i] + inv*(f1[i]-0.5*(ui*dm+dp*sx+sl*bb))
		c = d2[i] + inv*(f2[i]-0.5*(vi*dm+dp*sy+sl*c))
		e = d3[i] + inv*(f3[i]-0.5*(wi*dm+dp*sz+sl*e))
		h = d4[i] + inv*(f4[i]-0.5*(ht*dm+dp*vn+sl*h))
		d0[i], d1[i], d2[i], d3[i], d4[i] = a, bb, c, e, h
		ui, vi, wi, lam = u[i], v[i], w[i], l0[i]
		k = 0.5 * (ui*ui + vi*vi + wi*wi)
		ht = cp*p[i]/rho[i] + k
	}
}
