package bladerow

// slip is a wall that the flow follows, at rest in the block's frame.
type slip struct{}

func (slip) kind() faceKind { return sliding }

func (slip) apply(b *block, p *patch) {
	d := p.side.dir()
	b.each(p, func(s spot) { b.setFace(s, b.tangent(s, d, b.extrapolated(s, d))) })
}

// unloaded is a side of the dead water behind a blade: slip, with the mean of the pressures
// here and on the side opposite.
type unloaded struct{}

func (unloaded) kind() faceKind { return sliding }

func (unloaded) apply(b *block, p *patch) {
	d := p.side.dir()
	across := (b.n[d] - 1) * b.stride[d] // from the first cell to the last
	if p.side.upper() {
		across = -across
	}
	b.each(p, func(s spot) {
		q := b.tangent(s, d, b.extrapolated(s, d))
		q[4] = 0.5 * (q[4] + b.extrapolated(spot{c: s.c + across, in: -s.in}, d)[4])
		b.setFace(s, q)
	})
}

// tangent returns a state on a face without its velocity through that.
func (b *block) tangent(s spot, d int, q [5]float64) [5]float64 {
	m := b.metric
	sv := vec{m.s[d][0][s.face], m.s[d][1][s.face], m.s[d][2][s.face]}
	off := (q[1]*sv[0] + q[2]*sv[1] + q[3]*sv[2] - b.omega*m.g[d][s.face]) / (sv.dot(sv) + tiny)
	for x := range 3 {
		q[1+x] -= off * sv[x]
	}
	return q
}
