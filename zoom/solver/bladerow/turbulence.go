package bladerow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// The turbulence model of Spalart and Allmaras (La Recherche Aerospatiale 1, 1994, p. 5, without the trip term), for
// the eddy variable nt:
//
//	D nt/Dt = cb1 S nt - cw1 fw (nt/d)^2 + 1/sigma (div((nu+nt) grad nt) + cb2 |grad nt|^2)
//	eddy viscosity = rho nt fv1,  fv1 = x^3/(x^3 + cv1^3),  x = nt/nu
//
// In the model Helical the production grows with the helicity of the velocity W seen from the row, with measure and
// constants of Liu, Lu, Fang and Gao (Physics Letters A 375, 2011, p. 2377),
//
//	cb1 (1 + ch1 h^ch2) in the place of cb1,  h = |W.curl V|/(|W| |curl V|)
//
// for skewed layers, as in corners and on turning blades, which the model by itself lets separate too early. A
// two-dimensional flow has no helicity. Others have the factor at the vorticity in S instead, so that fw changes too;
// here fw is unchanged.
//
// Convection is upwind of first order in the turning frame, diffusion central across the faces; each step is one Jacobi
// sweep with the destruction on the diagonal. The first cell at a wall takes its value from the law of the wall.
const (
	saCb1   = 0.1355
	saSigma = 2.0 / 3
	saCb2   = 0.622
	saCw2   = 0.3
	saCw3   = 2.0
	saCv1   = 7.1
	saCw1   = saCb1/(kappa*kappa) + (1+saCb2)/saSigma
	saCh1   = 0.71               // with ch2 = 0.6; see helicity
	saCw0   = 1.0025873725752108 // (1 + 1/cw3^6)^(1/6)

	saLeastS = 0.3   // least S over the vorticity
	saStillS = 1e-12 // added to it, so that S is not 0 in a flow without vorticity
	saMostR  = 10    // greatest r
)

// Coefficients of the cubic in helicity, for h^0.1 over h^(1/8) from 0 to 1.
const (
	helicity0 = 0.0648267
	helicity1 = 1.1352314
	helicity2 = 0.2659846
	helicity3 = 0.0659394
)

// Coefficients of the parabola that Newton's method in slowing begins with.
const (
	slowing0 = 0.9991
	slowing1 = 0.1501
	slowing2 = 0.0424
)

// eddyFactor returns fv1.
func eddyFactor(x float64) float64 {
	x3 := x * x * x
	return x3 / (x3 + saCv1*saCv1*saCv1)
}

// factor returns the eddy viscosity over density and eddy variable, at this ratio of the eddy variable to the molecular
// viscosity.
func (v *viscosity) factor(x float64) float64 {
	if v.longest > 0 {
		return 1
	}
	return eddyFactor(x)
}

// makeTurbulent adds the model: distance from walls, and the free stream's eddy
// variable over the molecular viscosity.
func (b *block) makeTurbulent(dist []float64, free float64) {
	v := b.visc
	v.free, v.dist = free, make([]float32, b.size)
	for c, d := range dist {
		v.dist[c] = float32(d)
	}
	v.nt = make([]float64, b.size)
	for c := range v.nt {
		v.nt[c] = free * v.law.at(1)
	}
}

// eddy refreshes the eddy viscosity and its ghosts, and applies the law of the wall.
func (b *block) eddy() {
	v := b.visc
	b.lines(func(j, k int) {
		o, n := b.at(0, j, k), b.n[0]
		rho, mu, nt, mt := b.q[0][o:o+n], v.mu[o:o+n], v.nt[o:o+n], v.mt[o:o+n]
		for i := range rho {
			m := rho[i] * nt[i]
			mt[i] = float32(m * v.factor(m/float64(mu[i])))
		}
	})
	// Walls first: they set cells that the periodic sides then copy.
	b.sides(is[*noSlip], func(p *patch) { p.cond.(*noSlip).law(b, p) })
	b.sides(func(c condition) bool { return !is[*noSlip](c) }, b.eddyGhosts)
}

// eddyGhosts continues the eddy variable and viscosity into the ghost cells at a side that is
// no wall.
func (b *block) eddyGhosts(p *patch) {
	v := b.visc
	from := 0
	switch p.cond.(type) {
	case periodic:
		from = b.n[p.side.dir()] * b.stride[p.side.dir()]
		if p.side.upper() {
			from = -from
		}
	case *inlet, *mixing:
		if m, ok := p.cond.(*mixing); ok && !m.downstream {
			break
		}
		b.each(p, func(s spot) {
			v.nt[s.g] = v.free * float64(v.mu[s.c]) / b.q[0][s.c]
			v.mt[s.g] = v.mu[s.c] * float32(v.free*v.factor(v.free))
		})
		return
	}
	b.each(p, func(s spot) {
		c := s.c
		if from != 0 {
			c = s.g + from
		}
		v.nt[s.g], v.mt[s.g] = v.nt[c], v.mt[c]
	})
}

// turbulence makes a sweep of the model, if any. It stores the changes in the density's residual, which a step no
// longer needs.
func (b *block) turbulence() {
	v := b.visc
	switch {
	case v == nil || v.nt == nil:
		return
	case v.longest > 0:
		b.mixingLength()
		return
	}
	b.lines(func(j, k int) { b.eddyChanges(b.at(0, j, k)) })
	b.lines(func(j, k int) {
		o, n := b.at(0, j, k), b.n[0]
		nt, dn := v.nt[o:o+n], b.r[0][o:o+n]
		for i := range nt {
			nt[i] = max(nt[i]+dn[i], 0.1*nt[i])
		}
	})
}

// eddyChanges stores the changes of the eddy variables of a line of cells in a sweep, in the density's residual.
func (b *block) eddyChanges(o int) {
	n := b.n[0]
	if avx2 {
		b.eddyWhole(o)
		return
	}
	for c := o; c < o+n; c++ {
		b.r[0][c] = b.eddyChange(c)
	}
}

// eddyWhole is eddyChanges in a single kernel.
func (b *block) eddyWhole(o int) {
	n, below := b.n[0], b.stride[2]
	m, v, lo, hi := b.metric, b.visc, o-below, o+n+below
	eddyAVX2(n, &[17][]float64{
		m.s[0][0][lo:hi], m.s[0][1][lo:hi], m.s[0][2][lo:hi], m.g[0][lo:hi],
		m.s[1][0][lo:hi], m.s[1][1][lo:hi], m.s[1][2][lo:hi], m.g[1][lo:hi],
		m.s[2][0][lo:hi], m.s[2][1][lo:hi], m.s[2][2][lo:hi], m.g[2][lo:hi],
		b.vol[lo:hi], b.q[1][lo:hi], b.q[2][lo:hi], b.q[3][lo:hi], v.nt[lo:hi],
	}, &[2][]float64{b.q[0][o : o+n], b.r[0][o : o+n]},
		&[2][]float32{v.mu[o : o+n], v.dist[o : o+n]}, below, b.stride[0], b.stride[1], below, b.omega, v.skew)
}

// eddyChange returns the change of a cell's eddy variable in a sweep.
func (b *block) eddyChange(c int) float64 {
	v, m := b.visc, b.metric
	nt, nu, vol := v.nt[c], float64(v.mu[c])/b.q[0][c], b.vol[c]
	rhs, diag := 0.0, 0.0
	speed := mesh.Vec{b.q[1][c], b.q[2][c], b.q[3][c]}
	var curl mesh.Vec      // four times its integral
	var faces [3]mesh.Vec  // twice the mean area vectors
	var through [3]float64 // twice the volume flow through them, as the row sees it
	total := nu + nt
	// (1+cb2) div((nu+nt) grad nt) - cb2 (nu+nt) div grad nt
	sum, less := total+nu, saCb2*total
	for d := range 3 {
		lo, hi := c-b.stride[d], c+b.stride[d]
		a := mesh.Vec{m.s[d][0][c], m.s[d][1][c], m.s[d][2][c]}
		e := mesh.Vec{m.s[d][0][hi], m.s[d][1][hi], m.s[d][2][hi]}
		faces[d] = a.Add(e)
		through[d] = speed.Dot(faces[d]) - b.omega*(m.g[d][c]+m.g[d][hi])
		curl = curl.Add(faces[d].Cross(mesh.Vec{b.q[1][hi] - b.q[1][lo], b.q[2][hi] - b.q[2][lo],
			b.q[3][hi] - b.q[3][lo]}))
		in := 0.5*((b.q[1][lo]+b.q[1][c])*a[0]+(b.q[2][lo]+b.q[2][c])*a[1]+(b.q[3][lo]+b.q[3][c])*a[2]) - b.omega*
			m.g[d][c]
		out := 0.5*((b.q[1][hi]+b.q[1][c])*e[0]+(b.q[2][hi]+b.q[2][c])*e[1]+(b.q[3][hi]+b.q[3][c])*e[2]) - b.omega*
			m.g[d][hi]
		clo := a.Dot(a) * (2 / saSigma) / (b.vol[lo] + vol)
		chi := e.Dot(e) * (2 / saSigma) / (b.vol[hi] + vol)
		wlo := positive(in) + clo*positive((1+saCb2)*0.5*(sum+positive(v.nt[lo]))-less)
		whi := positive(-out) + chi*positive((1+saCb2)*0.5*(sum+positive(v.nt[hi]))-less)
		rhs += wlo*(v.nt[lo]-nt) + whi*(v.nt[hi]-nt)
		diag += wlo + whi
	}
	dist := float64(v.dist[c])
	x := nt / nu
	x3 := x * x * x
	y := x3 + saCv1*saCv1*saCv1
	fv2 := 1 - x*y/(y+x*x3) // 1 - x/(1 + x fv1)
	omega := 0.25 * curl.Norm() / vol
	n := nt / (kappa * kappa * (dist * dist))
	s, least := omega+n*fv2, saLeastS*omega+saStillS
	if s < least {
		s = least
	}
	r := n / s
	if r > saMostR {
		r = saMostR
	}
	destroy := saCw1 * kappa * kappa * slowing(r) * n
	made := saCb1 * (1 + v.skew*helicity(&faces, &through, curl)) * s
	rhs += vol * nt * (made - destroy)
	diag += vol * (2*destroy + made)
	return rhs / diag
}

// helicity returns h^0.6 of a cell, h = |W.curl V|/(|W| |curl V|), of its mean area vectors, the flow through them and
// a multiple of curl V: W is a multiple of
//
//	W.S1 (S2 x S3) + W.S2 (S3 x S1) + W.S3 (S1 x S2)
//
// With x = h^(1/8), h^0.6 is x^4 x^0.8. A cubic gives the second factor so that the whole is off by 1.3e-5 at most.
func helicity(faces *[3]mesh.Vec, through *[3]float64, curl mesh.Vec) float64 {
	s1, s2, s3 := faces[0], faces[1], faces[2]
	w := s2.Cross(s3).Times(through[0]).Add(s3.Cross(s1).Times(through[1])).Add(s1.Cross(s2).Times(through[2]))
	along := w.Dot(curl)
	h2 := along * along / (w.Dot(w)*curl.Dot(curl) + tiny)
	x := math.Sqrt(math.Sqrt(math.Sqrt(math.Sqrt(h2)))) // h^0.125
	xx := x * x
	return xx * xx * (helicity0 + x*(helicity1-x*(helicity2-x*helicity3)))
}

// positive returns x or 0, NaN if x is NaN.
func positive(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

// slowing returns fw of r,
//
//	fw = g ((1 + cw3^6)/(g^6 + cw3^6))^(1/6),  g = r + cw2 (r^6 - r)
//
// as (1 + 1/cw3^6)^(1/6) min(g, cw3) (1 + z)^(-1/6), z the lesser of (g/cw3)^6 and its
// inverse. Newton's method finds the last factor from a parabola that is off by 9e-4 at
// most, so that three steps are enough.
func slowing(r float64) float64 {
	r3 := r * r * r
	g := r + saCw2*(r3*r3-r)
	h := g * (1 / saCw3)
	h3 := h * h * h
	z := h3 * h3
	if z > 1 {
		z = 1 / z
	}
	y := slowing0 - z*(slowing1-z*slowing2)
	a := (1 + z) * (1.0 / 6)
	for range 3 {
		y3 := y * y * y
		y *= 7.0/6 - a*(y3*y3)
	}
	if g > saCw3 {
		g = saCw3
	}
	return saCw0 * g * y
}

// mixingLength applies Prandtl's mixing length, as a cheap model of turbulence:
//
//	eddy viscosity = rho l^2 |curl V|,  l = kappa d as far as a limit
//
// with d the distance from the nearest wall. The limit is 3 % of the pitch half way up the span, after Denton (ASME
// 92-GT-295). The first cell at a wall takes its value from the law of the wall. It is kept as the eddy variable, nt =
// l^2 |curl V|; half of each change is taken, so that layers and their viscosity settle together.
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
	var curl mesh.Vec
	for d := range 3 {
		lo, hi := c-b.stride[d], c+b.stride[d]
		mean := mesh.Vec{
			m.s[d][0][c] + m.s[d][0][hi], m.s[d][1][c] + m.s[d][1][hi], m.s[d][2][c] + m.s[d][2][hi],
		}.Times(0.25)
		curl = curl.Add(mean.Cross(mesh.Vec{b.q[1][hi] - b.q[1][lo], b.q[2][hi] - b.q[2][lo], b.q[3][hi] - b.q[3][lo]}))
	}
	return curl.Norm() / b.vol[c]
}
