package throughflow

import "math"

// implicit is the left-hand side of the time step: backward Euler, factored by direction and diagonalised (Pulliam and
// Chaussee, J. Comput. Phys. 39, 1981, p. 347). Along either direction the characteristic variables
//
//	entropy  drho - dp/a^2      shear  dvt      swirl  d(r Vtheta)      speed un
//	acoustic dp + rho a dvn     speed un + a
//	acoustic dp - rho a dvn     speed un - a
//
// obey scalar equations, taken upwind and first order. At walls an acoustic wave returns as the other; at the inlet the
// reservoir returns -(1-M)/(1+M) of it, at the exit plane the fixed pressure returns it with reversed sign. These
// echoes are part of the solution, so that a wave crosses the duct many times within one step instead of being
// reflected through hundreds of them.
type implicit struct {
	w          [5][]float64 // entropy, shear, swirl, acoustic forward, acoustic backward
	conv, fore []float64    // Thomas factors of the convected and the backward waves
	echo       []float64    // of a row: Courant numbers of its forward waves, or the waves themselves
}

// damping is the second difference, in spectral radii, that the left-hand side carries for the slow waves: it keeps the
// explicit third differences of the dissipation stable at any time step (more than 2 k4).
const damping = 0.25

func newImplicit(nz, nr int) *implicit {
	s := &implicit{}
	for v := range s.w {
		s.w[v] = make([]float64, nz*nr)
	}
	s.conv, s.fore = make([]float64, nz*nr), make([]float64, nz*nr)
	s.echo = make([]float64, max(nz, nr))
	return s
}

// solve turns the residual into the change of the conserved quantities, in place.
func (s *implicit) solve(l *level, gamma float64) {
	for i := range l.m.nz {
		s.primitive(l, gamma, i)
	}
	for i := range l.m.nz {
		s.acrossRow(l, i)
	}
	s.alongRows(l)
	for i := range l.m.nz {
		s.conservative(l, gamma, i)
	}
}

// primitive replaces the residuals by -dt times the changes of rho, Vz, Vr,
// r Vtheta and p that they mean.
func (s *implicit) primitive(l *level, gamma float64, i int) {
	u, nr := l.u, l.m.nr
	o, c := u.at(i, 0), i*nr
	ro, vz, vr, vt := u.ro[o:o+nr], u.vz[o:o+nr], u.vr[o:o+nr], u.vt[o:o+nr]
	rc, dt := l.m.rc[c:c+nr], l.dt[c:c+nr]
	r0, r1, r2, r3, r4 := l.q.res[0][c:c+nr], l.q.res[1][c:c+nr], l.q.res[2][c:c+nr], l.q.res[3][c:c+
		nr], l.q.res[4][c:c+nr]
	for j := range ro {
		inv, ir := 1/ro[j], 1/rc[j]
		d, dz, dr, dv, de := -dt[j]*r0[j], -dt[j]*r1[j], -dt[j]*r2[j], -dt[j]*r3[j], -dt[j]*r4[j]
		wt := vt[j] * ir
		r0[j] = d
		r1[j] = (dz - vz[j]*d) * inv
		r2[j] = (dr - vr[j]*d) * inv
		r3[j] = (dv - vt[j]*d) * inv
		r4[j] = (gamma - 1) * (de - vz[j]*dz - vr[j]*dr - wt*ir*dv + (vz[j]*vz[j]+vr[j]*vr[j]+wt*wt)/2*d)
	}
}

// conservative inverts primitive, without the time step.
func (s *implicit) conservative(l *level, gamma float64, i int) {
	u, nr := l.u, l.m.nr
	o, c := u.at(i, 0), i*nr
	ro, vz, vr, vt := u.ro[o:o+nr], u.vz[o:o+nr], u.vr[o:o+nr], u.vt[o:o+nr]
	rc := l.m.rc[c : c+nr]
	r0, r1, r2, r3, r4 := l.q.res[0][c:c+nr], l.q.res[1][c:c+nr], l.q.res[2][c:c+nr], l.q.res[3][c:c+
		nr], l.q.res[4][c:c+nr]
	inv := 1 / (gamma - 1)
	for j := range ro {
		ir := 1 / rc[j]
		d, dz, dr, dv, dp := r0[j], r1[j], r2[j], r3[j], r4[j]
		wt := vt[j] * ir
		r4[j] = dp*inv + ro[j]*(vz[j]*dz+vr[j]*dr+wt*ir*dv) + (vz[j]*vz[j]+vr[j]*vr[j]+wt*wt)/2*d
		r1[j] = ro[j]*dz + vz[j]*d
		r2[j] = ro[j]*dr + vr[j]*d
		r3[j] = ro[j]*dv + vt[j]*d
	}
}

// split carries the changes of row i into the characteristic variables of the
// direction (nz, nr) given cell by cell; join carries them back.
func (s *implicit) split(l *level, i int, nz, nr []float64) {
	n := l.m.nr
	o, c := l.u.at(i, 0), i*n
	q := l.q
	ro, a := l.u.ro[o:o+n], q.a[c:c+n]
	r0, r1, r2, r3, r4 := q.res[0][c:c+n], q.res[1][c:c+n], q.res[2][c:c+n], q.res[3][c:c+n], q.res[4][c:c+n]
	w0, w1, w2, w3, w4 := s.w[0][c:c+n], s.w[1][c:c+n], s.w[2][c:c+n], s.w[3][c:c+n], s.w[4][c:c+n]
	nz, nr = nz[c:c+n], nr[c:c+n]
	for j := range ro {
		ra := ro[j] * a[j] * (r1[j]*nz[j] + r2[j]*nr[j])
		p := r4[j]
		w0[j] = r0[j] - p/(a[j]*a[j])
		w1[j] = r2[j]*nz[j] - r1[j]*nr[j]
		w2[j] = r3[j]
		w3[j] = p + ra
		w4[j] = p - ra
	}
}

func (s *implicit) join(l *level, i int, nz, nr []float64) {
	n := l.m.nr
	o, c := l.u.at(i, 0), i*n
	q := l.q
	ro, a := l.u.ro[o:o+n], q.a[c:c+n]
	r0, r1, r2, r3, r4 := q.res[0][c:c+n], q.res[1][c:c+n], q.res[2][c:c+n], q.res[3][c:c+n], q.res[4][c:c+n]
	w0, w1, w2, w3, w4 := s.w[0][c:c+n], s.w[1][c:c+n], s.w[2][c:c+n], s.w[3][c:c+n], s.w[4][c:c+n]
	nz, nr = nz[c:c+n], nr[c:c+n]
	for j := range ro {
		inv := 1 / a[j]
		p := (w3[j] + w4[j]) / 2
		dn := (w3[j] - w4[j]) / (2 * ro[j]) * inv
		dt := w1[j]
		r0[j] = w0[j] + p*inv*inv
		r1[j] = dn*nz[j] - dt*nr[j]
		r2[j] = dn*nr[j] + dt*nz[j]
		r3[j] = w2[j]
		r4[j] = p
	}
}

// acrossRow solves row i from hub to casing.
func (s *implicit) acrossRow(l *level, i int) {
	m, u, nr := l.m, l.u, l.m.nr
	o, c := u.at(i, 0), i*nr
	s.split(l, i, m.jnz, m.jnr)
	w0, w1, w2, w3, w4 := s.w[0][c:c+nr], s.w[1][c:c+nr], s.w[2][c:c+nr], s.w[3][c:c+nr], s.w[4][c:c+nr]
	vz, vr, a, dt := u.vz[o:o+nr], u.vr[o:o+nr], l.q.a[c:c+nr], l.dt[c:c+nr]
	nz, nn, area, mj := m.jnz[c:c+nr], m.jnr[c:c+nr], m.ja[c:c+nr], l.q.mj[c:c+nr]
	conv, fore, echo := s.conv[c:c+nr], s.fore[c:c+nr], s.echo[:nr]
	// Forward elimination of (1+up+down) w - up w[j-1] - down w[j+1]; walls pass no wave.
	var before, b0, b1, b2 float64
	for j := range w0 {
		h, damp := dt[j]*area[j], damping*dt[j]*mj[j]
		un := vz[j]*nz[j] + vr[j]*nn[j]
		up, down := h*max(un, 0)+damp, h*max(-un, 0)+damp
		if j == 0 {
			up = 0
		}
		if j == nr-1 {
			down = 0
		}
		f := 1 / (1 + up + down - up*before)
		before = down * f
		conv[j] = before
		b0, b1, b2 = (w0[j]+up*b0)*f, (w1[j]+up*b1)*f, (w2[j]+up*b2)*f
		w0[j], w1[j], w2[j] = b0, b1, b2
		back := h * max(a[j]-un, 0)
		f = 1 / (1 + back)
		fore[j] = back * f
		w4[j] *= f
		echo[j] = h * max(un+a[j], 0)
	}
	b4 := w4[nr-1]
	for j := nr - 2; j >= 0; j-- {
		b0, b1, b2 = w0[j]+conv[j]*b0, w1[j]+conv[j]*b1, w2[j]+conv[j]*b2
		b4 = w4[j] + fore[j]*b4
		w0[j], w1[j], w2[j], w4[j] = b0, b1, b2, b4
	}
	wave := w4[0] // the hub's reflection
	for j := range w3 {
		wave = (w3[j] + echo[j]*wave) / (1 + echo[j])
		w3[j] = wave
	}
	for j := nr - 1; j >= 0; j-- { // and the casing
		wave *= fore[j]
		w4[j] += wave
	}
	s.join(l, i, m.jnz, m.jnr)
}

// alongRows solves all lines from inlet to exit, row by row.
func (s *implicit) alongRows(l *level) {
	m, nz, nr := l.m, l.m.nz, l.m.nr
	for i := range nz {
		s.split(l, i, m.inz, m.inr)
		s.eliminate(l, i)
	}
	w0, w1, w2, w4 := s.w[0], s.w[1], s.w[2], s.w[4]
	for k := (nz-1)*nr - 1; k >= 0; k-- {
		w0[k] += s.conv[k] * w0[k+nr]
		w1[k] += s.conv[k] * w1[k+nr]
		w2[k] += s.conv[k] * w2[k+nr]
		w4[k] += s.fore[k] * w4[k+nr]
	}
	s.waves(l)
	for i := range nz {
		s.join(l, i, m.inz, m.inr)
	}
}

// eliminate does the forward elimination of row i along the flow. Waves that enter at the inlet do not change; the
// outflow is free.
func (s *implicit) eliminate(l *level, i int) {
	m, u, nr := l.m, l.u, l.m.nr
	o, c := u.at(i, 0), i*nr
	vz, vr, a, dt := u.vz[o:o+nr], u.vr[o:o+nr], l.q.a[c:c+nr], l.dt[c:c+nr]
	nz, nn, area, mi := m.inz[c:c+nr], m.inr[c:c+nr], m.ia[c:c+nr], l.q.mi[c:c+nr]
	conv, fore := s.conv[c:c+nr], s.fore[c:c+nr]
	w0, w1, w2, w4 := s.w[0][c:c+nr], s.w[1][c:c+nr], s.w[2][c:c+nr], s.w[4][c:c+nr]
	e := max(c-nr, 0) // the first row refers to itself, without a contribution
	pc, pf := s.conv[e:e+nr], s.fore[e:e+nr]
	p0, p1, p2, p4 := s.w[0][e:e+nr], s.w[1][e:e+nr], s.w[2][e:e+nr], s.w[4][e:e+nr]
	last := i == m.nz-1
	for j := range w0 {
		h, damp := dt[j]*area[j], damping*dt[j]*mi[j]
		un := vz[j]*nz[j] + vr[j]*nn[j]
		up, down := h*max(un, 0)+damp, h*max(-un, 0)+damp
		bUp, bDown := h*max(un-a[j], 0)+damp, h*max(a[j]-un, 0)+damp
		if last {
			down = 0
		}
		if i == 0 {
			f, b := 1/(1+up+down), 1/(1+bUp+bDown)
			conv[j], fore[j] = down*f, bDown*b
			w0[j], w1[j], w2[j], w4[j] = w0[j]*f, w1[j]*f, w2[j]*f, w4[j]*b
			continue
		}
		f, b := 1/(1+up+down-up*pc[j]), 1/(1+bUp+bDown-bUp*pf[j])
		conv[j], fore[j] = down*f, bDown*b
		w0[j] = (w0[j] + up*p0[j]) * f
		w1[j] = (w1[j] + up*p1[j]) * f
		w2[j] = (w2[j] + up*p2[j]) * f
		w4[j] = (w4[j] + bUp*p4[j]) * b
	}
}

// waves solves the forward acoustic wave along the lines, from the echo at the inlet, and adds to the backward wave the
// echo of the exit plane.
func (s *implicit) waves(l *level) {
	m, u, nz, nr := l.m, l.u, l.m.nz, l.m.nr
	wave := s.echo[:nr]
	for j := range wave {
		f := u.at(0, j)
		mach := min(math.Hypot(u.vz[f], u.vr[f])/l.q.a[j], 1)
		wave[j] = -(1 - mach) / (1 + mach) * s.w[4][j]
	}
	for i := range nz {
		o, c := u.at(i, 0), i*nr
		vz, vr, a, dt := u.vz[o:o+nr], u.vr[o:o+nr], l.q.a[c:c+nr], l.dt[c:c+nr]
		nz, nn, area, w := m.inz[c:c+nr], m.inr[c:c+nr], m.ia[c:c+nr], s.w[3][c:c+nr]
		for j := range wave {
			ahead := dt[j] * area[j] * max(vz[j]*nz[j]+vr[j]*nn[j]+a[j], 0)
			wave[j] = (w[j] + ahead*wave[j]) / (1 + ahead)
			w[j] = wave[j]
		}
	}
	for j := range wave {
		wave[j] = -wave[j]
	}
	for i := nz - 1; i >= 0; i-- {
		c := i * nr
		fore, w := s.fore[c:c+nr], s.w[4][c:c+nr]
		for j := range wave {
			wave[j] *= fore[j]
			w[j] += wave[j]
		}
	}
}
