package throughflow

import "math"

// implicit is the left-hand side of the time step: backward Euler, factored by
// direction and diagonalised (Pulliam and Chaussee, J. Comput. Phys. 39, 1981,
// p. 347). Along either direction the characteristic variables
//
//	entropy  drho - dp/a^2      shear  dvt      swirl  d(r Vtheta)      speed un
//	acoustic dp + rho a dvn     speed un + a
//	acoustic dp - rho a dvn     speed un - a
//
// obey scalar equations, taken upwind and first order. At walls an acoustic wave
// comes back as the other one; at the inlet the reservoir returns -(1-M)/(1+M)
// of it, at the exit plane the fixed pressure returns it with its sign turned.
// These echoes are part of the solution, so that a wave crosses the duct many
// times within one step instead of bouncing through hundreds of them.
type implicit struct {
	w          [5][]float64 // entropy, shear, swirl, acoustic forward, acoustic backward
	conv, fore []float64    // Thomas factors of the convected and the backward waves
	echo       []float64    // Courant numbers of a row's forward waves
}

// damping is the second difference, in spectral radii, that the left-hand side
// carries for the slow waves: what keeps the explicit third differences of
// the dissipation stable at any time step (more than 2 k4).
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
		s.acrossRow(l, gamma, i)
	}
	s.alongRows(l, gamma)
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
	r0, r1, r2, r3, r4 := l.q.res[0][c:c+nr], l.q.res[1][c:c+nr], l.q.res[2][c:c+nr], l.q.res[3][c:c+nr], l.q.res[4][c:c+nr]
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

// conservative is the inverse of primitive, without the time step.
func (s *implicit) conservative(l *level, gamma float64, i int) {
	u, nr := l.u, l.m.nr
	o, c := u.at(i, 0), i*nr
	ro, vz, vr, vt := u.ro[o:o+nr], u.vz[o:o+nr], u.vr[o:o+nr], u.vt[o:o+nr]
	rc := l.m.rc[c : c+nr]
	r0, r1, r2, r3, r4 := l.q.res[0][c:c+nr], l.q.res[1][c:c+nr], l.q.res[2][c:c+nr], l.q.res[3][c:c+nr], l.q.res[4][c:c+nr]
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

// split carries the changes of cell k (interior index), whose state has the field
// index f, into the characteristic variables of the direction (nz, nr); join
// carries them back.
func (s *implicit) split(q *residual, u *field, k, f int, nz, nr, a float64) {
	dn := q.res[1][k]*nz + q.res[2][k]*nr
	ra := u.ro[f] * a * dn
	p := q.res[4][k]
	s.w[0][k] = q.res[0][k] - p/(a*a)
	s.w[1][k] = q.res[2][k]*nz - q.res[1][k]*nr
	s.w[2][k] = q.res[3][k]
	s.w[3][k] = p + ra
	s.w[4][k] = p - ra
}

func (s *implicit) join(q *residual, u *field, k, f int, nz, nr, a float64) {
	p := (s.w[3][k] + s.w[4][k]) / 2
	dn := (s.w[3][k] - s.w[4][k]) / (2 * u.ro[f] * a)
	dt := s.w[1][k]
	q.res[0][k] = s.w[0][k] + p/(a*a)
	q.res[1][k] = dn*nz - dt*nr
	q.res[2][k] = dn*nr + dt*nz
	q.res[3][k] = s.w[2][k]
	q.res[4][k] = p
}

// acrossRow solves row i from hub to casing.
func (s *implicit) acrossRow(l *level, gamma float64, i int) {
	m, u, nr := l.m, l.u, l.m.nr
	o, c, n := u.at(i, 0), i*nr, i*(nr+1)
	w0, w1, w2, w3, w4 := s.w[0][c:c+nr], s.w[1][c:c+nr], s.w[2][c:c+nr], s.w[3][c:c+nr], s.w[4][c:c+nr]
	conv, fore, echo := s.conv[c:c+nr], s.fore[c:c+nr], s.echo[:nr]
	for j := range nr {
		sz, sr := (m.sjz[n+j]+m.sjz[n+j+1])/2, (m.sjr[n+j]+m.sjr[n+j+1])/2
		area := math.Sqrt(sz*sz + sr*sr)
		nz, nn := sz/area, sr/area
		a := math.Sqrt(gamma * u.p[o+j] / u.ro[o+j])
		s.split(l.q, u, c+j, o+j, nz, nn, a)
		h := l.dt[c+j] * area
		un := u.vz[o+j]*nz + u.vr[o+j]*nn
		damp := damping * l.dt[c+j] * (l.q.lj[c+j] + math.Sqrt(l.q.li[c+j]*l.q.lj[c+j]))
		up, down := h*max(un, 0)+damp, h*max(-un, 0)+damp
		ahead, back := h*max(un+a, 0), h*max(a-un, 0)
		if j == 0 {
			up = 0
		}
		if j == nr-1 {
			down = 0
		}
		// Forward elimination of (1+up+down) w - up w[j-1] - down w[j+1].
		prev := 0.0
		if j > 0 {
			prev = conv[j-1]
		}
		f := 1 / (1 + up + down - up*prev)
		conv[j] = down * f
		if j > 0 {
			w0[j] = (w0[j] + up*w0[j-1]) * f
			w1[j] = (w1[j] + up*w1[j-1]) * f
			w2[j] = (w2[j] + up*w2[j-1]) * f
		} else {
			w0[j], w1[j], w2[j] = w0[j]*f, w1[j]*f, w2[j]*f
		}
		f = 1 / (1 + back)
		fore[j] = back * f
		w4[j] *= f
		echo[j] = ahead
	}
	for j := nr - 2; j >= 0; j-- {
		w0[j] += conv[j] * w0[j+1]
		w1[j] += conv[j] * w1[j+1]
		w2[j] += conv[j] * w2[j+1]
		w4[j] += fore[j] * w4[j+1]
	}
	wave := w4[0] // what the hub returns
	for j := range w3 {
		wave = (w3[j] + echo[j]*wave) / (1 + echo[j])
		w3[j] = wave
	}
	for j := nr - 1; j >= 0; j-- { // and the casing
		wave *= fore[j]
		w4[j] += wave
	}
	for j := range nr {
		sz, sr := (m.sjz[n+j]+m.sjz[n+j+1])/2, (m.sjr[n+j]+m.sjr[n+j+1])/2
		area := math.Sqrt(sz*sz + sr*sr)
		a := math.Sqrt(gamma * u.p[o+j] / u.ro[o+j])
		s.join(l.q, u, c+j, o+j, sz/area, sr/area, a)
	}
}

// alongRows solves all lines from inlet to exit, row by row.
func (s *implicit) alongRows(l *level, gamma float64) {
	m, u, nz, nr := l.m, l.u, l.m.nz, l.m.nr
	w := &s.w
	for i := range nz {
		o, c := u.at(i, 0), i*nr
		for j := range nr {
			k := c + j
			sz, sr := (m.siz[k]+m.siz[k+nr])/2, (m.sir[k]+m.sir[k+nr])/2
			area := math.Sqrt(sz*sz + sr*sr)
			nn, nt := sz/area, sr/area
			a := math.Sqrt(gamma * u.p[o+j] / u.ro[o+j])
			s.split(l.q, u, k, o+j, nn, nt, a)
			h := l.dt[k] * area
			un := u.vz[o+j]*nn + u.vr[o+j]*nt
			damp := damping * l.dt[k] * (l.q.li[k] + math.Sqrt(l.q.li[k]*l.q.lj[k]))
			up, down := h*max(un, 0)+damp, h*max(-un, 0)+damp
			bUp, bDown := h*max(un-a, 0)+damp, h*max(a-un, 0)+damp
			if i == 0 {
				f, b := 1/(1+up+down), 1/(1+bUp+bDown)
				s.conv[k], s.fore[k] = down*f, bDown*b
				w[0][k], w[1][k], w[2][k], w[4][k] = w[0][k]*f, w[1][k]*f, w[2][k]*f, w[4][k]*b
				continue
			}
			if i == nz-1 {
				down = 0
			}
			p := k - nr
			f, b := 1/(1+up+down-up*s.conv[p]), 1/(1+bUp+bDown-bUp*s.fore[p])
			s.conv[k], s.fore[k] = down*f, bDown*b
			w[0][k] = (w[0][k] + up*w[0][p]) * f
			w[1][k] = (w[1][k] + up*w[1][p]) * f
			w[2][k] = (w[2][k] + up*w[2][p]) * f
			w[4][k] = (w[4][k] + bUp*w[4][p]) * b
		}
	}
	for k := (nz-1)*nr - 1; k >= 0; k-- {
		w[0][k] += s.conv[k] * w[0][k+nr]
		w[1][k] += s.conv[k] * w[1][k+nr]
		w[2][k] += s.conv[k] * w[2][k+nr]
		w[4][k] += s.fore[k] * w[4][k+nr]
	}
	s.waves(l, gamma)
	for i := range nz {
		o, c := u.at(i, 0), i*nr
		for j := range nr {
			k := c + j
			sz, sr := (m.siz[k]+m.siz[k+nr])/2, (m.sir[k]+m.sir[k+nr])/2
			area := math.Sqrt(sz*sz + sr*sr)
			a := math.Sqrt(gamma * u.p[o+j] / u.ro[o+j])
			s.join(l.q, u, k, o+j, sz/area, sr/area, a)
		}
	}
}

// waves solves the forward acoustic wave along the lines, from the echo at the
// inlet, and adds to the backward one the echo of the exit plane.
func (s *implicit) waves(l *level, gamma float64) {
	m, u, nz, nr := l.m, l.u, l.m.nz, l.m.nr
	for j := range nr {
		f := u.at(0, j)
		a := math.Sqrt(gamma * u.p[f] / u.ro[f])
		mach := min(math.Hypot(u.vz[f], u.vr[f])/a, 1)
		wave := -(1 - mach) / (1 + mach) * s.w[4][j]
		for i := range nz {
			k := i*nr + j
			f := u.at(i, j)
			sz, sr := (m.siz[k]+m.siz[k+nr])/2, (m.sir[k]+m.sir[k+nr])/2
			a := math.Sqrt(gamma * u.p[f] / u.ro[f])
			ahead := l.dt[k] * max(u.vz[f]*sz+u.vr[f]*sr+a*math.Sqrt(sz*sz+sr*sr), 0)
			wave = (s.w[3][k] + ahead*wave) / (1 + ahead)
			s.w[3][k] = wave
		}
		wave = -wave
		for i := nz - 1; i >= 0; i-- {
			k := i*nr + j
			wave *= s.fore[k]
			s.w[4][k] += wave
		}
	}
}
