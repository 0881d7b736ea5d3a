package bladerow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// inlet is a subsonic inflow from a reservoir: total pressure, total temperature and
// direction are given face by face (in the order of each), and the wave that leaves
// the block, J = V.n - 2a/(gamma-1) with n pointing in, comes from the first cell.
// The speed of sound on the face solves
//
//	a0^2 = a^2 + (gamma-1)/2 V^2,   V d.n = J + 2a/(gamma-1)
//
// (Blazek, Computational Fluid Dynamics, 3rd ed., section 8.4).
type inlet struct {
	pt, tt []float64
	dir    []mesh.Vec // unit vectors
}

func (*inlet) kind() faceKind { return open }
func (c *inlet) apply(b *block, p *patch) {
	d := p.side.dir()
	b.each(p, func(s spot) { b.setFace(s, c.face(b, s, d, s.n)) })
}

func (c *inlet) face(b *block, s spot, d, n int) [5]float64 {
	q := b.state(s.c)
	in := b.normal(s, d).Times(-1)
	g1 := b.gamma - 1
	a0 := math.Sqrt(b.gamma * c.tt[n])
	j := mesh.Vec{q[1], q[2], q[3]}.Dot(in) - 2*math.Sqrt(b.gamma*q[4]/q[0])/g1
	cos := max(c.dir[n].Dot(in), 0.05)
	// A a^2 + 2 J a + C = 0, its larger root.
	ka := cos*cos + 2/g1
	kc := g1/2*j*j - cos*cos*a0*a0
	a := a0
	if disc := j*j - ka*kc; disc > 0 {
		// From rest to Mach 1 and a little: a wave from outside drives no more.
		a = min(max((-j+math.Sqrt(disc))/ka, 0.88*a0), a0)
	}
	t := a * a / b.gamma
	v := math.Sqrt(max(2*b.gamma/g1*(c.tt[n]-t), 0))
	p := c.pt[n] * math.Pow(t/c.tt[n], b.gamma/g1)
	dir := c.dir[n]
	return [5]float64{p / t, v * dir[0], v * dir[1], v * dir[2], p}
}

// exit is a subsonic outflow against a pressure. The other waves come from the first
// cell: rho = rho1 + (p-p1)/a^2, Vn = Vn1 - (p-p1)/(rho a), n pointing out
// (Whitfield and Janus, AIAA 84-1552). Where the flow leaves faster than sound the
// state is the first cell's own.
type exit struct {
	p  func(b *block, p *patch) []float64 // pressure face by face, in the order of each
	ps []float64                          // as it is now
}

func (*exit) kind() faceKind               { return open }
func (c *exit) prepare(b *block, p *patch) { c.ps = c.p(b, p) }
func (c *exit) apply(b *block, p *patch) {
	d := p.side.dir()
	b.each(p, func(s spot) {
		q, out := b.state(s.c), b.normal(s, d)
		a := math.Sqrt(b.gamma * q[4] / q[0])
		vn := mesh.Vec{q[1], q[2], q[3]}.Dot(out)
		if vn < a {
			dp := c.ps[s.n] - q[4]
			dv := dp / (q[0] * a)
			q[0] = max(q[0]+dp/(a*a), 0.2*q[0])
			q[4] = c.ps[s.n]
			for x := range 3 {
				q[1+x] -= dv * out[x]
			}
		}
		b.setFace(s, q)
	})
}

// periodic connects a side with the opposite side, turned about the axis by angle from the lower to the upper side (0:
// shifted).
type periodic struct{ sin, cos float64 }

func newPeriodic(angle float64) periodic {
	s, c := math.Sincos(angle)
	return periodic{s, c}
}

func (periodic) kind() faceKind { return joined }

func (c periodic) apply(b *block, p *patch) {
	d := p.side.dir()
	from, sin := b.n[d]*b.stride[d], -c.sin // a lower ghost is an upper cell turned back
	if p.side.upper() {
		from, sin = -from, c.sin
	}
	b.each(p, func(s spot) {
		for ring := range ghosts {
			g := s.g - ring*s.in
			q := b.state(g + from)
			q[1], q[2] = c.cos*q[1]-sin*q[2], sin*q[1]+c.cos*q[2]
			b.setState(g, q)
		}
	})
}

// carry puts the forward sweep's changes of the cells on the other side into the first
// ghost ring.
func (c periodic) carry(b *block, p *patch) {
	d := p.side.dir()
	from, sin := b.n[d]*b.stride[d], -c.sin
	if p.side.upper() {
		from, sin = -from, c.sin
	}
	b.each(p, func(s spot) {
		i := s.g + from
		b.r[0][s.g], b.r[3][s.g], b.r[4][s.g] = b.r[0][i], b.r[3][i], b.r[4][i]
		b.r[1][s.g], b.r[2][s.g] = c.cos*b.r[1][i]-sin*b.r[2][i], sin*b.r[1][i]+c.cos*b.r[2][i]
	})
}
