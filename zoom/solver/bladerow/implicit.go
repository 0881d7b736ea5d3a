package bladerow

import "math"

// The implicit step: one symmetric Gauss-Seidel sweep over the Jacobian of Roe's first-order fluxes, without stored
// matrices (after Rossow, J. Comput. Phys. 220, 2007, p. 879; lower-upper form: Yoon and Jameson, AIAA Journal 26,
// 1988, p. 1025).
//
//	D dW* = -r + sum over lower faces  A+ dW*     of the cell below
//	D dW  = D dW* - sum over upper faces A- dW    of the cell above
//	D = sum over directions |A| + (vol/dt) I,  A+- = (A +- |A|)/2
//
// in the variables W = (sigma, V, p), d sigma = d rho - dp/a^2, in which the Jacobian along the unit vector n is
//
//	A dW = (un sigma, un dV + n dp/rho, un dp + rho a^2 n.dV)
//
// Matrices instead of their largest eigenvalue (as in LU-SGS of its usual form) leave shear and entropy waves their own
// speed, which across a wall's flat cells is nearly zero: boundary layers settle about as fast as the flow around them.

// floor is the smallest speed of shear and entropy waves in the implicit operator, as a share of the sound speed: with
// 0.02 the residual of a rotor hangs.
const floor = 0.1

// early is the share of the first of a step's two stages (Rossow, J. Comput. Phys. 220, 2007, p. 879, has three). In a
// single stage the second-order residual would need a larger diagonal than that of the first-order fluxes.
const early = 0.4

// step makes a step in two stages. It returns the norm of the residual before it and reports whether all states are
// still valid.
func (b *block) step(cfl float64) (norm float64, ok bool) {
	b.residual()
	norm = b.norm()
	b.implicit(cfl)
	ok = b.advance(early)
	b.residualKeepingEddy()
	b.implicit(cfl)
	return norm, b.advance(1) && ok
}

// implicit replaces the residual b.r by the change of sigma, V and p. Through periodic sides the backward sweep uses
// the changes of the forward sweep; the forward sweep uses none. Workers share the j-lines and follow one another from
// plane to plane, so that the result does not depend on their number.
func (b *block) implicit(cfl float64) {
	b.speeds()
	nk := b.n[2]
	b.pipeline(func(w *scratch, step, j0, j1 int) {
		for j := j0; j < j1; j++ {
			b.forward(w.line, j, step, cfl)
		}
	})
	b.sides(is[periodic], func(p *patch) {
		if p.side.upper() {
			p.cond.(periodic).carry(b, p)
		}
	})
	b.pipeline(func(w *scratch, step, j0, j1 int) {
		n := b.n[1]
		for j := n - 1 - j0; j > n-1-j1; j-- {
			b.backward(w.line, j, nk-1-step, cfl)
		}
	})
}

// pipeline calls f for every plane and every worker's share of its lines, each
// share after that of the worker before.
func (b *block) pipeline(f func(w *scratch, step, j0, j1 int)) {
	n, nj, nk := min(b.workers, b.n[1]), b.n[1], b.n[2]
	done := make([]chan struct{}, n)
	for w := range done {
		done[w] = make(chan struct{}, nk)
	}
	b.team(n, func(w int) {
		for k := range nk {
			if w > 0 {
				<-done[w-1]
			}
			j0, j1 := share(nj, w, n)
			f(b.scratch[w], k, j0, j1)
			done[w] <- struct{}{}
		}
	})
}

func (b *block) forward(l *line, j, k int, cfl float64) {
	o := b.at(0, j, k)
	b.primitive(l, o)
	if j > 0 {
		b.couple(l, 1, o-b.stride[1], o, 1)
	}
	if k > 0 {
		b.couple(l, 2, o-b.stride[2], o, 1)
	}
	b.diagonal(l, o, cfl)
	b.links(l, o-1, o, 1)
	b.chain(l, o)
}

func (b *block) backward(l *line, j, k int, cfl float64) {
	n := b.n[0]
	o := b.at(0, j, k)
	for v := range 5 {
		clear(l.f[v][:n])
	}
	b.couple(l, 1, o+b.stride[1], o+b.stride[1], -1)
	b.couple(l, 2, o+b.stride[2], o+b.stride[2], -1)
	b.diagonal(l, o, cfl)
	b.links(l, o+1, o+1, -1)
	b.chainBack(l, o)
}

// primitive sets l.f to minus the residual of the line at o, in the variables W.
func (b *block) primitive(l *line, o int) {
	n := b.n[0]
	rho, u, v, w := b.q[0][o:o+n], b.q[1][o:o+n], b.q[2][o:o+n], b.q[3][o:o+n]
	a := b.sound[o : o+n]
	r0, r1, r2, r3, r4 := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n]
	f0, f1, f2, f3, f4 := l.f[0][:n], l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	g1 := b.gamma - 1
	if avx2 {
		primitiveAVX2(n, &[14][]float64{rho, u, v, w, r0, r1, r2, r3, r4, f0, f1, f2, f3, f4}, &[1][]float32{a}, g1)
		return
	}
	for i := range rho {
		ui, vi, wi := u[i], v[i], w[i]
		inv := 1 / rho[i]
		dp := g1 * (r4[i] - ui*r1[i] - vi*r2[i] - wi*r3[i] + 0.5*(ui*ui+vi*vi+wi*wi)*r0[i])
		f0[i] = dp/float64(a[i]*a[i]) - r0[i]
		f1[i] = (ui*r0[i] - r1[i]) * inv
		f2[i] = (vi*r0[i] - r2[i]) * inv
		f3[i] = (wi*r0[i] - r3[i]) * inv
		f4[i] = -dp
	}
}

// couple adds to l.f the contribution of the line of neighbours at nb through the faces at face, of direction d: sign
// A+- dW.
func (b *block) couple(l *line, d, nb, face int, sign float64) {
	n := b.n[0]
	m := b.metric
	x, y, z, g := m.s[d][0][face:face+n], m.s[d][1][face:face+n], m.s[d][2][face:face+n], m.g[d][face:face+n]
	rho, u, v, w := b.q[0][nb:nb+n], b.q[1][nb:nb+n], b.q[2][nb:nb+n], b.q[3][nb:nb+n]
	a, diff := b.sound[nb:nb+n], b.diffuse[nb:nb+n]
	d0, d1, d2, d3, d4 := b.r[0][nb:nb+n], b.r[1][nb:nb+n], b.r[2][nb:nb+n], b.r[3][nb:nb+n], b.r[4][nb:nb+n]
	f0, f1, f2, f3, f4 := l.f[0][:n], l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	half := 0.5 * sign
	if avx2 {
		coupleAVX2(n, &[18][]float64{
			x, y, z, g, rho, u, v, w, d0, d1, d2, d3, d4, f0, f1, f2, f3, f4,
		}, &[2][]float32{a, diff}, b.omega, half, sign)
		return
	}
	for i := range rho {
		sx, sy, sz := x[i], y[i], z[i]
		s2 := sx*sx + sy*sy + sz*sz
		area := math.Sqrt(s2)
		inv := 1 / (area + tiny)
		un := u[i]*sx + v[i]*sy + w[i]*sz - b.omega*g[i]
		c := float64(a[i]) * area
		abs := math.Abs(un)
		l0, c1, c2 := max(abs, floor*c), max(abs, c), min(max(un, -c), c)
		visc := float64(diff[i]) * s2
		l0 += visc
		c1 += visc
		ra := rho[i] * float64(a[i])
		du, dv, dw, dp := d1[i], d2[i], d3[i], d4[i]
		dn := (du*sx + dv*sy + dw*sz) * inv
		across := half * (un + sign*l0)
		cross := half * (c + sign*c2)
		e := (0.5*(c1-l0)*dn + cross*dp/ra) * inv
		f0[i] += across * d0[i]
		f1[i] += across*du + e*sx
		f2[i] += across*dv + e*sy
		f3[i] += across*dw + e*sz
		f4[i] += half*(un+sign*c1)*dp + cross*ra*dn
	}
}

// diagonal sets l.d to the inverse of D along the line at o: with P and k the entries of
// the pressure's row and V the velocities' block,
//
//	V^-1 (six entries), y = V^-1 k, 1/(P - k.y), 1/D of the entropy, rho a
func (b *block) diagonal(l *line, o int, cfl float64) {
	n := b.n[0]
	if avx2 {
		b.diagonalWhole(l, o, cfl)
		return
	}
	dd := &l.d
	xx, xy, xz, yy, yz, zz := dd[0][:n], dd[1][:n], dd[2][:n], dd[3][:n], dd[4][:n], dd[5][:n]
	kx, ky, kz, pp, beta, time := dd[6][:n], dd[7][:n], dd[8][:n], dd[9][:n], dd[10][:n], dd[11][:n]
	for _, v := range dd[:12] {
		clear(v[:n])
	}
	m := b.metric
	u, v, w := b.q[1][o:o+n], b.q[2][o:o+n], b.q[3][o:o+n]
	a, diff := b.sound[o:o+n], b.diffuse[o:o+n]
	for d := range 3 {
		s := b.stride[d]
		x, y, z, g := m.s[d][0][o:o+n], m.s[d][1][o:o+n], m.s[d][2][o:o+n], m.g[d][o:o+n]
		x1, y1, z1, h := m.s[d][0][o+s:o+s+n], m.s[d][1][o+s:o+s+n], m.s[d][2][o+s:o+s+n], m.g[d][o+s:o+s+n]
		for i := range u {
			sx, sy, sz := 0.5*(x[i]+x1[i]), 0.5*(y[i]+y1[i]), 0.5*(z[i]+z1[i])
			s2 := sx*sx + sy*sy + sz*sz
			area := math.Sqrt(s2)
			inv := 1 / (area + tiny)
			un := u[i]*sx + v[i]*sy + w[i]*sz - 0.5*b.omega*(g[i]+h[i])
			c := float64(a[i]) * area
			abs := math.Abs(un)
			l0, c1, c2 := max(abs, floor*c), max(abs, c), min(max(un, -c), c)
			visc := float64(diff[i]) * s2
			time[i] += abs + c + visc
			beta[i] += l0 + visc
			pp[i] += c1 + visc
			e := (c1 - l0) * inv * inv
			xx[i] += e * sx * sx
			xy[i] += e * sx * sy
			xz[i] += e * sx * sz
			yy[i] += e * sy * sy
			yz[i] += e * sy * sz
			zz[i] += e * sz * sz
			c2 *= inv
			kx[i] += c2 * sx
			ky[i] += c2 * sy
			kz[i] += c2 * sz
		}
	}
	rho := b.q[0][o : o+n]
	ra := time
	rate := 1 / cfl
	for i := range rho {
		t := rate * time[i]
		bt := beta[i] + t
		a, bb, c, d, e, f := xx[i]+bt, xy[i], xz[i], yy[i]+bt, yz[i], zz[i]+bt
		ca, cb, cc := d*f-e*e, c*e-bb*f, bb*e-c*d
		inv := 1 / (a*ca + bb*cb + c*cc)
		ixx, ixy, ixz := ca*inv, cb*inv, cc*inv
		iyy, iyz, izz := (a*f-c*c)*inv, (bb*c-a*e)*inv, (a*d-bb*bb)*inv
		x, y, z := kx[i], ky[i], kz[i]
		tx, ty, tz := ixx*x+ixy*y+ixz*z, ixy*x+iyy*y+iyz*z, ixz*x+iyz*y+izz*z
		xx[i], xy[i], xz[i], yy[i], yz[i], zz[i] = ixx, ixy, ixz, iyy, iyz, izz
		kx[i], ky[i], kz[i] = tx, ty, tz
		pp[i] = 1 / (pp[i] + t - x*tx - y*ty - z*tz)
		beta[i] = 1 / bt
		ra[i] = rho[i] * float64(b.sound[o+i])
	}
}

// diagonalWhole is diagonal in a single kernel, which keeps the sums in registers.
func (b *block) diagonalWhole(l *line, o int, cfl float64) {
	n := b.n[0]
	var p [28][]float64
	for d := range 3 {
		hi := o + n + b.stride[d]
		p[4*d], p[4*d+1], p[4*d+2], p[4*d+3] = b.s[d][0][o:hi], b.s[d][1][o:hi], b.s[d][2][o:hi], b.g[d][o:hi]
	}
	for v := range 4 {
		p[12+v] = b.q[v][o : o+n]
	}
	for v := range l.d {
		p[16+v] = l.d[v][:n]
	}
	diagonalAVX2(n, &p, &[2][]float32{b.sound[o : o+n], b.diffuse[o : o+n]},
		b.stride[0], b.stride[1], b.stride[2], 0.5*b.omega, 1/cfl)
}

// links sets l.c to the entries of sign A+- of the cells at nb through the i-faces at face, and
// refers the pressure's row, right-hand side included, to rho a of the line itself.
func (b *block) links(l *line, nb, face int, sign float64) {
	n := b.n[0]
	m := b.metric
	x, y, z, g := m.s[0][0][face:face+n], m.s[0][1][face:face+n], m.s[0][2][face:face+n], m.g[0][face:face+n]
	rho, u, v, w := b.q[0][nb:nb+n], b.q[1][nb:nb+n], b.q[2][nb:nb+n], b.q[3][nb:nb+n]
	a, diff := b.sound[nb:nb+n], b.diffuse[nb:nb+n]
	cc := &l.c
	nx, ny, nz := cc[0][:n], cc[1][:n], cc[2][:n]
	across, along, cross, press, ratio := cc[3][:n], cc[4][:n], cc[5][:n], cc[6][:n], cc[7][:n]
	ra, f4 := l.d[11][:n], l.f[4][:n]
	half := 0.5 * sign
	if avx2 {
		linksAVX2(n, &[18][]float64{
			x, y, z, g, rho, u, v, w, nx, ny, nz, across, along, cross, press, ratio, ra, f4,
		}, &[2][]float32{a, diff}, b.omega, half, sign)
		return
	}
	for i := range rho {
		sx, sy, sz := x[i], y[i], z[i]
		s2 := sx*sx + sy*sy + sz*sz
		area := math.Sqrt(s2)
		inv := 1 / (area + tiny)
		un := u[i]*sx + v[i]*sy + w[i]*sz - b.omega*g[i]
		c := float64(a[i]) * area
		abs := math.Abs(un)
		l0, c1, c2 := max(abs, floor*c), max(abs, c), min(max(un, -c), c)
		visc := float64(diff[i]) * s2
		l0 += visc
		c1 += visc
		nx[i], ny[i], nz[i] = sx*inv, sy*inv, sz*inv
		across[i], along[i], cross[i], press[i] = half*(un+sign*l0), 0.5*(c1-l0), half*(c+sign*c2), half*(un+sign*c1)
		ia := 1 / ra[i]
		ratio[i] = rho[i] * float64(a[i]) * ia
		f4[i] *= ia
	}
}

// chain solves the line at o from its lower end, with l.f as its right-hand side.
func (b *block) chain(l *line, o int) {
	n := b.n[0]
	d0, d1, d2, d3, d4 := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n]
	f0, f1, f2, f3, f4 := l.f[0][:n], l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	nx, ny, nz := l.c[0][:n], l.c[1][:n], l.c[2][:n]
	across, along, cross, press, ratio := l.c[3][:n], l.c[4][:n], l.c[5][:n], l.c[6][:n], l.c[7][:n]
	xx, xy, xz, yy, yz, zz := l.d[0][:n], l.d[1][:n], l.d[2][:n], l.d[3][:n], l.d[4][:n], l.d[5][:n]
	kx, ky, kz, pp, beta, ra := l.d[6][:n], l.d[7][:n], l.d[8][:n], l.d[9][:n], l.d[10][:n], l.d[11][:n]
	var s, u, v, w, p float64 // of the cell before; p over rho a
	for i := range d0 {
		dn := u*nx[i] + v*ny[i] + w*nz[i]
		e := along[i]*dn + cross[i]*p
		fu, fv, fw := f1[i]+across[i]*u+e*nx[i], f2[i]+across[i]*v+e*ny[i], f3[i]+across[i]*w+e*nz[i]
		fp := f4[i] + ratio[i]*(press[i]*p+cross[i]*dn)
		s = (f0[i] + across[i]*s) * beta[i]
		p = (fp - kx[i]*fu - ky[i]*fv - kz[i]*fw) * pp[i]
		u = xx[i]*fu + xy[i]*fv + xz[i]*fw - kx[i]*p
		v = xy[i]*fu + yy[i]*fv + yz[i]*fw - ky[i]*p
		w = xz[i]*fu + yz[i]*fv + zz[i]*fw - kz[i]*p
		d0[i], d1[i], d2[i], d3[i], d4[i] = s, u, v, w, p*ra[i]
	}
}

// chainBack solves the line at o from its upper end; l.f holds the contributions of the other directions.
func (b *block) chainBack(l *line, o int) {
	n := b.n[0]
	d0, d1, d2, d3, d4 := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n]
	f0, f1, f2, f3, f4 := l.f[0][:n], l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	nx, ny, nz := l.c[0][:n], l.c[1][:n], l.c[2][:n]
	across, along, cross, press, ratio := l.c[3][:n], l.c[4][:n], l.c[5][:n], l.c[6][:n], l.c[7][:n]
	xx, xy, xz, yy, yz, zz := l.d[0][:n], l.d[1][:n], l.d[2][:n], l.d[3][:n], l.d[4][:n], l.d[5][:n]
	kx, ky, kz, pp, beta, ra := l.d[6][:n], l.d[7][:n], l.d[8][:n], l.d[9][:n], l.d[10][:n], l.d[11][:n]
	// Of the cell behind: 0 unless the ghost is joined.
	s, u, v, w, p := b.r[0][o+n], b.r[1][o+n], b.r[2][o+n], b.r[3][o+n], b.r[4][o+n]/(b.q[0][o+n]*float64(b.sound[o+n]))
	for i := n - 1; i >= 0; i-- {
		dn := u*nx[i] + v*ny[i] + w*nz[i]
		e := along[i]*dn + cross[i]*p
		fu, fv, fw := f1[i]+across[i]*u+e*nx[i], f2[i]+across[i]*v+e*ny[i], f3[i]+across[i]*w+e*nz[i]
		fp := f4[i] + ratio[i]*(press[i]*p+cross[i]*dn)
		fs := f0[i] + across[i]*s
		p = (fp - kx[i]*fu - ky[i]*fv - kz[i]*fw) * pp[i]
		u = d1[i] + xx[i]*fu + xy[i]*fv + xz[i]*fw - kx[i]*p
		v = d2[i] + xy[i]*fu + yy[i]*fv + yz[i]*fw - ky[i]*p
		w = d3[i] + xz[i]*fu + yz[i]*fv + zz[i]*fw - kz[i]*p
		s = d0[i] + fs*beta[i]
		p += d4[i] / ra[i]
		d0[i], d1[i], d2[i], d3[i], d4[i] = s, u, v, w, p*ra[i]
	}
}
