package field

// Cuts through a Field: surfaces at a constant fraction of the span, and means over the
// pitch. A cut interpolates between two k-lines at every i.

import "math"

// spanwise is a surface at a constant fraction of the height between the walls: at each
// i a place between two k-lines.
type spanwise struct {
	f *Field
	k []int     // the lower line
	t []float64 // share of the upper line
}

func (f *Field) radius(i, k int) float64 {
	x := f.Vertex(i, 0, k)
	return math.Hypot(x[0], x[1])
}

// Spanwise finds a fraction of the height.
func (f *Field) Spanwise(span float64) spanwise {
	c := spanwise{f, make([]int, f.NI+1), make([]float64, f.NI+1)}
	for i := range c.k {
		hub, casing := f.radius(i, 0), f.radius(i, f.NK)
		r := hub + span*(casing-hub)
		k := 0
		for k < f.NK-1 && f.radius(i, k+1) < r {
			k++
		}
		lo, hi := f.radius(i, k), f.radius(i, k+1)
		c.k[i], c.t[i] = k, min(max((r-lo)/(hi-lo), 0), 1)
	}
	return c
}

// of interpolates nodal values at node line (i, j).
func (c *spanwise) of(v []float64, i, j int) float64 {
	return v[c.f.Node(i, j, c.k[i])]*(1-c.t[i]) + v[c.f.Node(i, j, c.k[i]+1)]*c.t[i]
}

func (c *spanwise) z(i, j int) float64 { return c.of(c.f.Z, i, j) }

func (c *spanwise) R(i, j int) float64 {
	a, b := c.f.Vertex(i, j, c.k[i]), c.f.Vertex(i, j, c.k[i]+1)
	return math.Hypot(a[0], a[1])*(1-c.t[i]) + math.Hypot(b[0], b[1])*c.t[i]
}

// theta interpolates the angle without a jump where it passes pi.
func (c *spanwise) theta(i, j int) float64 {
	a, b := c.f.Vertex(i, j, c.k[i]), c.f.Vertex(i, j, c.k[i]+1)
	th := math.Atan2(a[1], a[0])
	return th + c.t[i]*math.Remainder(math.Atan2(b[1], b[0])-th, 2*math.Pi)
}

// Sheet is a surface of revolution at a fraction of the span, unrolled: node (i,j) has
// index j*(NI+1)+i.
type Sheet struct {
	NI, NJ int // cells
	LE, TE int
	Closed int // node line at or behind TE on which both sides of a blade and its dead water have met
	// M and T are the conformal coordinates of the surface, scaled to lengths at the leading edge: r_LE times the
	// integral of dm/r from there, and r_LE theta, m. Angles are true everywhere, lengths at the leading edge.
	M, T  []float64
	Pitch float64 // r_LE times the angle between two blades, m
	Cut   func(v []float64) []float64
}

// Sheet unrolls the surface at a fraction of the span. Its Cut interpolates nodal values
// of the field.
func (f *Field) Sheet(span float64) *Sheet {
	c := f.Spanwise(span)
	s := &Sheet{NI: f.NI, NJ: f.NJ, LE: f.LE, TE: f.TE}
	m := make([]float64, f.NI+1)
	for i := 1; i <= f.NI; i++ {
		z0, z1, r0, r1 := c.z(i-1, 0), c.z(i, 0), c.R(i-1, 0), c.R(i, 0)
		m[i] = m[i-1] + 2*math.Hypot(z1-z0, r1-r0)/(r0+r1)
	}
	r := c.R(f.LE, 0)
	s.Pitch = r * f.Pitch()
	home := c.theta(f.LE, 0)
	for j := range f.NJ + 1 {
		for i := range f.NI + 1 {
			s.M = append(s.M, r*(m[i]-m[f.LE]))
			s.T = append(s.T, r*math.Remainder(c.theta(i, j)-home, 2*math.Pi))
		}
	}
	for s.Closed = s.TE; s.Closed < s.NI &&
		math.Abs(s.T[s.Closed]-s.T[s.NJ*(s.NI+1)+s.Closed]-s.Pitch) > 1e-6*s.Pitch; {
		s.Closed++
	}
	s.Cut = func(v []float64) []float64 {
		out := make([]float64, 0, len(s.M))
		for j := range f.NJ + 1 {
			for i := range f.NI + 1 {
				out = append(out, c.of(v, i, j))
			}
		}
		return out
	}
	return s
}

// PitchMean returns the state averaged over the pitch at node line i and a fraction of
// the span.
func (f *Field) PitchMean(i int, span float64) State {
	c := f.Spanwise(span)
	a, b := f.mean(i, c.k[i]), f.mean(i, c.k[i]+1)
	return a.mixed(&b, c.t[i])
}

// Meridional returns the states averaged over the pitch, node (i,k) at k*(NI+1)+i.
func (f *Field) Meridional() []State {
	out := make([]State, 0, (f.NI+1)*(f.NK+1))
	for k := range f.NK + 1 {
		for i := range f.NI + 1 {
			out = append(out, f.mean(i, k))
		}
	}
	return out
}

// mean averages over the pitch at the nodes (i, ., k): static pressure and density by area, all else by mass; on a
// wall, without mass flow, all by area. Mach numbers and angles are those of the mean velocities and temperature.
func (f *Field) mean(i, k int) State {
	var m State
	mass, area := 0.0, 0.0
	states := make([]State, f.NJ+1)
	weights := make([]float64, f.NJ+1)
	for j := range states {
		states[j] = f.At(f.Node(i, j, k))
	}
	for j := 1; j <= f.NJ; j++ {
		half := math.Abs(math.Remainder(states[j].Theta-states[j-1].Theta, 2*math.Pi)) / 2
		weights[j-1], weights[j] = weights[j-1]+half, weights[j]+half
	}
	for j := range states {
		area += weights[j]
		mass += weights[j] * states[j].Rho * states[j].Vm
	}
	still := !(mass > 1e-3*area*f.Pt/math.Sqrt(f.R*f.Tt)) // a wall at rest or turning
	for j := range states {
		s, a := &states[j], weights[j]/area
		w := a
		if !still {
			w = weights[j] * s.Rho * s.Vm / mass
		}
		m.Z, m.Radius = m.Z+a*s.Z, m.Radius+a*s.Radius
		m.Ps, m.Rho = m.Ps+a*s.Ps, m.Rho+a*s.Rho
		m.Ts, m.Pt, m.Tt, m.PtRel, m.TtRel = m.Ts+w*s.Ts, m.Pt+w*s.Pt, m.Tt+w*s.Tt, m.PtRel+w*s.PtRel, m.TtRel+w*s.TtRel
		m.Vz, m.Vr, m.Vtheta, m.Entropy = m.Vz+w*s.Vz, m.Vr+w*s.Vr, m.Vtheta+w*s.Vtheta, m.Entropy+w*s.Entropy
	}
	m.Theta = states[f.NJ/2].Theta
	f.derive(&m)
	return m
}

// mixed returns (1-t) s + t o in every quantity.
func (s *State) mixed(o *State, t float64) State {
	out := *s
	for _, p := range [][2]*float64{{&out.Z, &o.Z}, {&out.Radius, &o.Radius}, {&out.Rho, &o.Rho}, {&out.Ps, &o.Ps},
		{&out.Ts, &o.Ts},
		{&out.Vz, &o.Vz}, {&out.Vr, &o.Vr}, {&out.Vtheta, &o.Vtheta}, {&out.Vm, &o.Vm}, {&out.Wtheta, &o.Wtheta},
		{&out.Pt, &o.Pt}, {&out.Tt, &o.Tt}, {&out.PtRel, &o.PtRel}, {&out.TtRel, &o.TtRel},
		{&out.MN, &o.MN}, {&out.MNRel, &o.MNRel}, {&out.Alpha, &o.Alpha}, {&out.Beta, &o.Beta},
		{&out.Entropy, &o.Entropy}} {
		*p[0] += t * (*p[1] - *p[0])
	}
	return out
}
