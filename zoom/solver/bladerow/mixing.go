package bladerow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// A mixing plane joins two rows of blades that turn against each other (Denton and Singh, VKI Lecture Series 1979-7).
// Over each strip of the plane, a ring one cell high, the flow of either side is mixed out: its mean is the uniform
// state with the same fluxes of mass, momentum (cylindrical components) and energy. Roe's flux of the two means passes
// through the strip, the same for both rows, so that the plane is conservative. Over the pitch this flux is distributed
// by area. The upstream side adds the deviation of the local fluxes from their mean, so that wakes leave unchanged. The
// downstream side adds the deviations of an inflow from the common state under the waves that leave the row upstream,
// so that the plane does not reflect the blades' pressure field.
//
// Within a multigrid cycle the other row's means are frozen at their initial values; at convergence both rows have the
// same flux, to round-off.
type mixing struct {
	downstream bool
	at         func(face, d int) mesh.Vec // place of a face
	mean       []mixed                    // of this side, strip by strip, as last applied
	other      []mixed                    // of the other side
	flux       [][5]float64               // face by face, in the order of each
}

// mixed is the mean of a side of a strip: rho, Vr, Vtheta, Vz, p, and the strip's area in radial and axial direction
// over the angle of the pitch.
type mixed struct {
	q      [5]float64
	ar, az float64 // m2/rad
}

func (*mixing) kind() faceKind               { return given }
func (c *mixing) faceFlux(n int) *[5]float64 { return &c.flux[n] }

// cylindrical turns the momentum of a flux, or the velocity of a state, at x from
// Cartesian into radial and circumferential components; sign -1 turns back.
func cylindrical(f [5]float64, x mesh.Vec, sign float64) [5]float64 {
	r := math.Hypot(x[0], x[1])
	c, s := x[0]/r, sign*x[1]/r
	f[1], f[2] = c*f[1]+s*f[2], c*f[2]-s*f[1]
	return f
}

func (c *mixing) prepare(b *block, _ *patch) {
	if c.mean == nil {
		c.mean, c.flux = make([]mixed, b.n[2]), make([][5]float64, b.n[1]*b.n[2])
	}
}

func (c *mixing) apply(b *block, p *patch) {
	nj := b.n[1]
	pitch := c.angle(b)
	var spots []spot
	b.each(p, func(s spot) { spots = append(spots, s) })
	for k := p.b0; k < p.b1; k++ {
		row := spots[(k-p.b0)*nj:][:nj]
		states, local := make([][5]float64, nj), make([][5]float64, nj)
		var sum [5]float64
		var area mesh.Vec // radial, 0, axial
		for j, s := range row {
			states[j] = b.extrapolated(s, 0)
			local[j] = c.through(b, s, states[j])
			for v := range 5 {
				sum[v] += local[j][v]
			}
			a := c.area(b, s)
			area[0], area[2] = area[0]+a[0], area[2]+a[2]
		}
		c.mean[k] = mixed{mixOut(sum, area, states, row, c, b.gamma), area[0] / pitch, area[2] / pitch}
		common := c.common(k, b.gamma)
		if c.downstream {
			c.inflow(b, row, states, local, common, area)
		}
		c.spread(b, row, local, common, pitch, c.flux[k*nj:(k+1)*nj])
		for j, s := range row {
			b.setFace(s, states[j])
		}
	}
}

// angle returns the pitch, from the first and last face of the hub's strip, rad.
func (c *mixing) angle(b *block) float64 {
	i := 0
	if !c.downstream {
		i = b.n[0]
	}
	x, y := c.at(b.at(i, 0, 0), 0), c.at(b.at(i, b.n[1]-1, 0), 0)
	n := float64(b.n[1])
	return math.Abs(math.Remainder(math.Atan2(y[1], y[0])-math.Atan2(x[1], x[0]), 2*math.Pi)) * n / (n - 1)
}

func (c *mixing) area(b *block, s spot) mesh.Vec {
	m := b.metric
	x := cylindrical([5]float64{0, m.s[0][0][s.face], m.s[0][1][s.face], m.s[0][2][s.face]}, c.at(s.face, 0), 1)
	return mesh.Vec{x[1], x[2], x[3]}
}

// through returns the flux of q through a face in cylindrical components.
func (c *mixing) through(b *block, s spot, q [5]float64) [5]float64 {
	m := b.metric
	area := mesh.Vec{m.s[0][0][s.face], m.s[0][1][s.face], m.s[0][2][s.face]}
	return cylindrical(direct(&q, area, b.omega*m.g[0][s.face], b.gamma), c.at(s.face, 0), 1)
}

// mixOut returns the uniform subsonic state whose flux through the area is f. If no such state exists, or the flow is
// reversed, it returns the plain mean of the states.
func mixOut(f [5]float64, area mesh.Vec, states [][5]float64, row []spot, c *mixing, gamma float64) [5]float64 {
	size := area.Norm()
	n := area.Times(1 / size)
	m := f[0] / size
	pn := (f[1]*n[0] + f[2]*n[1] + f[3]*n[2]) / size // p + m vn
	if m > 0 {
		t := mesh.Vec{f[1] / size, f[2] / size, f[3] / size}.Sub(n.Times(pn)).Times(1 / m)
		// (gamma+1)/(2(gamma-1)) vn^2 - gamma/(gamma-1) pn/m vn + H - t^2/2 = 0, its smaller root.
		a, h := (gamma+1)/(2*(gamma-1)), f[4]/f[0]-0.5*t.Dot(t)
		g := gamma / (gamma - 1) * pn / m
		if disc := g*g - 4*a*h; disc >= 0 {
			vn := (g - math.Sqrt(disc)) / (2 * a)
			if p := pn - m*vn; vn > 0 && p > 0 {
				v := t.Add(n.Times(vn))
				return [5]float64{m / vn, v[0], v[1], v[2], p}
			}
		}
	}
	var mean [5]float64
	for j, q := range states {
		q = cylindrical(q, c.at(row[j].face, 0), 1)
		for v := range 5 {
			mean[v] += q[v] / float64(len(states))
		}
	}
	return mean
}

// common returns Roe's flux of both sides through strip k, over the angle of the pitch.
// Its area is the mean of both sides', whose meshes cut the circle into different chords.
func (c *mixing) common(k int, gamma float64) [5]float64 {
	up, down := c.mean[k], c.mean[k]
	if k < len(c.other) {
		if c.downstream {
			up = c.other[k]
		} else {
			down = c.other[k]
		}
	}
	l := newLine(1)
	for v := range 5 {
		l.l[v][0], l.r[v][0] = up.q[v], down.q[v]
	}
	l.roe(1, []float64{0.5 * (up.ar + down.ar)}, []float64{0}, []float64{0.5 * (up.az + down.az)}, []float64{0}, 0,
		gamma)
	return [5]float64{l.f[0][0], l.f[1][0], l.f[2][0], l.f[3][0], l.f[4][0]}
}

// inflow replaces the states on the faces of a strip, and their fluxes, by an inflow from the common state.
func (c *mixing) inflow(b *block, row []spot, states, local [][5]float64, common [5]float64, area mesh.Vec) {
	pitch := c.angle(b)
	for v := range 5 {
		common[v] *= pitch
	}
	q := mixOut(common, area, states, row, c, b.gamma)
	g := b.gamma / (b.gamma - 1)
	v := mesh.Vec{q[1], q[2], q[3]}
	t := q[4] / q[0]
	tt := t + v.Dot(v)/(2*g)
	size := v.Norm() + tiny
	in := &inlet{pt: []float64{q[4] * math.Pow(tt/t, g)}, tt: []float64{tt}, dir: []mesh.Vec{{}}}
	for j, s := range row {
		d := cylindrical([5]float64{0, v[0] / size, v[1] / size, v[2] / size}, c.at(s.face, 0), -1)
		in.dir[0] = mesh.Vec{d[1], d[2], d[3]}
		states[j] = in.face(b, s, 0, 0)
		local[j] = c.through(b, s, states[j])
	}
}

// spread gives each face of a strip its share of the common flux plus the deviation of its local flux from the mean, in
// Cartesian components.
func (c *mixing) spread(b *block, row []spot, local [][5]float64, common [5]float64, pitch float64, out [][5]float64) {
	var sum [5]float64
	size := 0.0
	for j, s := range row {
		for v := range 5 {
			sum[v] += local[j][v]
		}
		size += c.area(b, s).Norm()
	}
	for j, s := range row {
		share := c.area(b, s).Norm() / size
		f := local[j]
		for v := range 5 {
			f[v] += share * (pitch*common[v] - sum[v])
		}
		out[j] = cylindrical(f, c.at(s.face, 0), -1)
	}
}

func pairs(s []mixed) []mixed {
	out := make([]mixed, len(s)/2)
	for k := range out {
		x, y := s[2*k], s[2*k+1]
		for v := range 5 {
			out[k].q[v] = 0.5 * (x.q[v] + y.q[v])
		}
		out[k].ar, out[k].az = x.ar+y.ar, x.az+y.az
	}
	return out
}
