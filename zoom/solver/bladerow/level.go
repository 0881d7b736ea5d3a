package bladerow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// reference holds the units that the kernels compute in: gas constant 1, the inlet's
// mean total pressure and temperature 1, lengths in metres.
type reference struct {
	p, t, v float64 // Pa, K, m/s
	rho     float64 // kg/m3
}

func (c *Case) reference() reference {
	var r reference
	n := float64(len(c.Inlet.Pt))
	for k := range c.Inlet.Pt {
		r.p, r.t = r.p+c.Inlet.Pt[k]/n, r.t+c.Inlet.Tt[k]/n
	}
	r.v = math.Sqrt(c.Gas.R * r.t)
	r.rho = r.p / (c.Gas.R * r.t)
	return r
}

// level is the flow on one mesh of a passage.
type level struct {
	*block
	grid   *mesh.Passage
	ref    reference
	radius []float64 // of the exit's cells, plane by plane from the hub, m
	first  float64   // greatest residual so far
	last   float64   // residual of the last step
	in     *inlet
	base   [5][]float64 // of a coarse mesh in a cycle: its initial state
	ps     float64      // exit pressure at its place
	mixIn  *mixing      // to the row before, nil: none
	mixOut *mixing      // to the row behind
}

// newLevel makes the flow of row n of a case on one of its meshes.
func newLevel(c *Case, n int, p *mesh.Passage) (*level, error) {
	sh := newShape(p.NI, p.NJ, p.NK)
	m := newMetric(&sh, p.Extended(-p.Pitch))
	if err := m.check(&sh); err != nil {
		return nil, err
	}
	ref := c.reference()
	l := &level{grid: p, ref: ref, ps: c.Exit.Ps / ref.p}
	l.block = newBlock(sh, m, c.Gas.Gamma, c.rows()[n].N*math.Pi/30/ref.v, c.Settings.Workers)
	l.in = l.inlet(c)
	for k := range p.NK {
		x := p.Centre(p.NI-1, 0, k)
		l.radius = append(l.radius, math.Hypot(x[0], x[1]))
	}
	if n > 0 {
		l.mixIn = &mixing{downstream: true, at: l.faceCentre}
		l.put(iLo, l.mixIn)
	} else {
		l.put(iLo, l.in)
	}
	if n < len(c.Behind) {
		l.mixOut = &mixing{at: l.faceCentre}
		l.put(iHi, l.mixOut)
	} else {
		l.put(iHi, l.exit(c))
	}
	inviscid := c.Settings.Model == Euler
	wall := func(spin float64) condition {
		if inviscid {
			return slip{}
		}
		return &noSlip{spin: spin, at: l.faceCentre}
	}
	for _, s := range []side{jLo, jHi} {
		l.putPart(s, 0, p.LE, 0, p.NK, newPeriodic(-p.Pitch))
		l.putPart(s, p.LE, p.TE, 0, p.Tip, wall(l.omega))
		if p.Tip < p.NK {
			l.putPart(s, p.LE, p.TE, p.Tip, p.NK, newPeriodic(-p.Pitch))
		}
		if p.Closed > p.TE {
			l.putPart(s, p.TE, p.Closed, 0, p.Tip, unloaded{})
			if p.Tip < p.NK {
				l.putPart(s, p.TE, p.Closed, p.Tip, p.NK, newPeriodic(-p.Pitch))
			}
		}
		l.putPart(s, p.Closed, p.NI, 0, p.NK, newPeriodic(-p.Pitch))
	}
	// The disc under the blades turns, the hub ahead of and behind it is at rest.
	l.putPart(kLo, 0, p.LE, 0, p.NJ, wall(0))
	l.putPart(kLo, p.LE, p.Closed, 0, p.NJ, wall(l.omega))
	l.putPart(kLo, p.Closed, p.NI, 0, p.NJ, wall(0))
	l.put(kHi, wall(0))
	if !inviscid {
		l.makeViscous(newSutherland(ref.rho*ref.v, ref.t), 0.72, 0.9)
		l.boundaries()
		l.makeTurbulent(l.distances(p.Centre, l.faceCentre), 3)
		switch c.Settings.Model {
		case Helical:
			l.visc.skew = saCh1
		case MixingLength:
			l.visc.longest = 0.03 * p.Pitch * 0.5 * (l.nodeRadius(p.LE, 0) + l.nodeRadius(p.LE, p.NK))
		}
	}
	return l, nil
}

// faceCentre returns the middle of a face, from its index.
func (l *level) faceCentre(face, d int) mesh.Vec {
	k := face / l.stride[2]
	j := (face - k*l.stride[2]) / l.stride[1]
	o := [3]int{face - k*l.stride[2] - j*l.stride[1] - ghosts, j - ghosts, k - ghosts}
	e := (d + 1) % 3
	f := (d + 2) % 3
	for _, x := range [2]int{e, f} { // a face beside the block has the place of that at its edge
		o[x] = min(max(o[x], 0), l.n[x]-1)
	}
	var sum mesh.Vec
	for n := range 4 {
		c := o
		c[e] += n & 1
		c[f] += n >> 1
		sum = sum.Add(l.grid.Vertex(c[0], c[1], c[2]).Times(0.25))
	}
	return sum
}

// inlet lays the profiles on the faces of the inlet plane. The meridional direction is
// that of the mesh.
func (l *level) inlet(c *Case) *inlet {
	p := l.grid
	in := &inlet{}
	r0, r1 := l.nodeRadius(0, 0), l.nodeRadius(0, p.NK)
	for k := range p.NK {
		for j := range p.NJ {
			x := p.Vertex(0, j, k).Add(p.Vertex(0, j+1, k)).Add(p.Vertex(0, j, k+1)).Add(p.Vertex(0, j+1, k+1)).Times(
				0.25)
			y := p.Vertex(1, j, k).Add(p.Vertex(1, j+1, k)).Add(p.Vertex(1, j, k+1)).Add(p.Vertex(1, j+1, k+1)).Times(
				0.25)
			r := math.Hypot(x[0], x[1])
			span := (r*r - r0*r0) / (r1*r1 - r0*r0)
			alpha := 0.0
			if len(c.Inlet.Alpha) > 0 {
				alpha = profileAt(c.Inlet.Span, c.Inlet.Alpha, span)
			}
			in.pt = append(in.pt, profileAt(c.Inlet.Span, c.Inlet.Pt, span)/l.ref.p)
			in.tt = append(in.tt, profileAt(c.Inlet.Span, c.Inlet.Tt, span)/l.ref.t)
			phi := math.Atan2(math.Hypot(y[0], y[1])-r, y[2]-x[2])
			er, et := mesh.Vec{x[0] / r, x[1] / r}, mesh.Vec{-x[1] / r, x[0] / r}
			d := er.Times(math.Cos(alpha) * math.Sin(phi)).Add(et.Times(math.Sin(alpha)))
			in.dir = append(in.dir, d.Add(mesh.Vec{0, 0, math.Cos(alpha) * math.Cos(phi)}))
		}
	}
	return in
}

func (l *level) nodeRadius(i, k int) float64 {
	x := l.grid.Vertex(i, 0, k)
	return math.Hypot(x[0], x[1])
}

// profileAt interpolates linearly; outside its points a profile stays constant.
func profileAt(span, v []float64, at float64) float64 {
	n := len(v)
	if n == 1 || at <= span[0] {
		return v[0]
	}
	for k := 1; k < n; k++ {
		if at <= span[k] {
			t := (at - span[k-1]) / (span[k] - span[k-1])
			return v[k-1] + t*(v[k]-v[k-1])
		}
	}
	return v[n-1]
}

// exit returns the exit plane's condition: radial equilibrium of the pitch's means
// from the pressure at the given place.
func (l *level) exit(c *Case) *exit {
	nj, nk := l.n[1], l.n[2]
	at := map[march.Height]float64{march.Hub: 0, march.Mid: 0.5, march.Casing: 1}[c.Exit.At]
	r0, r1 := l.nodeRadius(l.n[0], 0), l.nodeRadius(l.n[0], nk)
	place := r0 + at*(r1-r0)
	slope, p, ps := make([]float64, nk), make([]float64, nk), make([]float64, nj*nk)
	return &exit{p: func(b *block, _ *patch) []float64 {
		for k := range nk {
			sum := 0.0
			for j := range nj {
				c := b.at(b.n[0]-1, j, k)
				x := l.grid.Vertex(b.n[0], j, k)
				r := math.Hypot(x[0], x[1])
				vt := (b.q[2][c]*x[0] - b.q[1][c]*x[1]) / r
				sum += b.q[0][c] * vt * vt
			}
			slope[k] = sum / float64(nj) / l.radius[k]
		}
		p[0] = 0
		for k := 1; k < nk; k++ {
			p[k] = p[k-1] + 0.5*(slope[k]+slope[k-1])*(l.radius[k]-l.radius[k-1])
		}
		base := l.ps - extrapolatedAt(l.radius, p, place)
		for k := range nk {
			for j := range nj {
				ps[k*nj+j] = max(p[k]+base, 0.05*l.ps)
			}
		}
		return ps
	}}
}

// extrapolatedAt interpolates linearly, and extrapolates linearly outside.
func extrapolatedAt(x, v []float64, at float64) float64 {
	k := 1
	for k < len(x)-1 && at > x[k] {
		k++
	}
	return v[k-1] + (at-x[k-1])/(x[k]-x[k-1])*(v[k]-v[k-1])
}
