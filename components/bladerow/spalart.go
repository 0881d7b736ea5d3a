package bladerow

import "math"

// The turbulence model of Spalart and Allmaras (La Recherche Aerospatiale 1, 1994, p.
// 5, without the trip term), for the eddy variable nt:
//
//	D nt/Dt = cb1 S nt - cw1 fw (nt/d)^2 + 1/sigma (div((nu+nt) grad nt) + cb2 |grad nt|^2)
//	eddy viscosity = rho nt fv1,  fv1 = x^3/(x^3 + cv1^3),  x = nt/nu
//
// Convection is upwind of first order in the turning frame, diffusion central across
// the faces; each step is one Jacobi sweep with the destruction on the diagonal. The
// first cell at a wall takes its value from the law of the wall.
const (
	saCb1   = 0.1355
	saSigma = 2.0 / 3
	saCb2   = 0.622
	saCw2   = 0.3
	saCw3   = 2.0
	saCv1   = 7.1
	saCw1   = saCb1/(kappa*kappa) + (1+saCb2)/saSigma
)

// eddyFactor returns fv1.
func eddyFactor(x float64) float64 {
	x3 := x * x * x
	return x3 / (x3 + saCv1*saCv1*saCv1)
}

// factor is the eddy viscosity over density and eddy variable, at this ratio of the eddy
// variable to the molecular viscosity.
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
		v.nt[c] = free * v.law(1)
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

// turbulence makes one sweep of the model, if there is one. It puts the changes where the density's
// were, which a step has no more use for.
func (b *block) turbulence() {
	v := b.visc
	switch {
	case v == nil || v.nt == nil:
		return
	case v.longest > 0:
		b.mixingLength()
		return
	}
	b.lines(func(j, k int) {
		o := b.at(0, j, k)
		for c := o; c < o+b.n[0]; c++ {
			b.r[0][c] = b.eddyChange(c)
		}
	})
	b.lines(func(j, k int) {
		o, n := b.at(0, j, k), b.n[0]
		nt, dn := v.nt[o:o+n], b.r[0][o:o+n]
		for i := range nt {
			nt[i] = max(nt[i]+dn[i], 0.1*nt[i])
		}
	})
}

// eddyChange returns what one cell's eddy variable gains in a sweep.
func (b *block) eddyChange(c int) float64 {
	v, m := b.visc, b.metric
	nt, nu, vol := v.nt[c], float64(v.mu[c])/b.q[0][c], b.vol[c]
	rhs, diag := 0.0, 0.0
	var curl vec
	own := nu + nt
	for d := range 3 {
		s := b.stride[d]
		lo, hi := c-s, c+s
		a := vec{m.s[d][0][c], m.s[d][1][c], m.s[d][2][c]}
		e := vec{m.s[d][0][hi], m.s[d][1][hi], m.s[d][2][hi]}
		mean := a.add(e).times(0.25)
		du := vec{b.q[1][hi] - b.q[1][lo], b.q[2][hi] - b.q[2][lo], b.q[3][hi] - b.q[3][lo]}
		curl = curl.add(mean.cross(du))
		in := 0.5*((b.q[1][lo]+b.q[1][c])*a[0]+(b.q[2][lo]+b.q[2][c])*a[1]+(b.q[3][lo]+b.q[3][c])*a[2]) - b.omega*m.g[d][c]
		out := 0.5*((b.q[1][hi]+b.q[1][c])*e[0]+(b.q[2][hi]+b.q[2][c])*e[1]+(b.q[3][hi]+b.q[3][c])*e[2]) - b.omega*m.g[d][hi]
		nlo, nhi := max(v.nt[lo], 0), max(v.nt[hi], 0)
		// (1+cb2) div((nu+nt) grad nt) - cb2 (nu+nt) div grad nt
		clo := a.dot(a) * 2 / (b.vol[lo] + vol) / saSigma
		chi := e.dot(e) * 2 / (b.vol[hi] + vol) / saSigma
		wlo := max(in, 0) + clo*max((1+saCb2)*0.5*(own+nu+nlo)-saCb2*own, 0)
		whi := max(-out, 0) + chi*max((1+saCb2)*0.5*(own+nu+nhi)-saCb2*own, 0)
		rhs += wlo*(v.nt[lo]-nt) + whi*(v.nt[hi]-nt)
		diag += wlo + whi
	}
	dist := float64(v.dist[c])
	d2 := kappa * kappa * dist * dist
	x := nt / nu
	omega := curl.norm() / vol
	fv2 := 1 - x/(1+x*eddyFactor(x))
	s := max(omega+nt/d2*fv2, 0.3*omega+1e-12)
	r := min(nt/(s*d2), 10)
	g := r + saCw2*(sixth(r)-r)
	const c6 = saCw3 * saCw3 * saCw3 * saCw3 * saCw3 * saCw3
	fw := g * math.Sqrt(math.Cbrt((1+c6)/(sixth(g)+c6)))
	destroy := saCw1 * fw * nt / (dist * dist)
	rhs += vol * nt * (saCb1*s - destroy)
	diag += vol * (2*destroy + saCb1*s)
	return rhs / diag
}

func sixth(x float64) float64 { return x * x * x * x * x * x }
