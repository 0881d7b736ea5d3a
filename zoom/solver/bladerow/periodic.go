package bladerow

import "math"

// periodic connects a side with the opposite one, turned about the axis by angle
// from the lower to the upper side (0: shifted).
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
