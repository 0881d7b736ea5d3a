package bladerow

// Fluxes through the block's sides. Where the state on a face is known, so is its flux:
// at walls, inlets and exits it replaces the one that a flux between two cells gives.

// close replaces the fluxes of a line of j- or k-faces that lies on the block's
// side sd, where they follow from the state on the face.
func (b *block) close(l *line, sd side, on bool, j, k int) {
	if !on || b.closed[sd] == nil {
		return
	}
	d, ni := sd.dir(), b.n[0]
	row := k
	at := [3]int{0, 0, k}
	if d == 2 {
		row, at = j, [3]int{0, j, 0}
	}
	if sd.upper() {
		at[d] = b.n[d]
	}
	o := b.at(at[0], at[1], at[2])
	for i, c := range b.closed[sd][row*ni : (row+1)*ni] {
		if c != joined {
			b.closeFace(l, i, d, o+i, c)
		}
	}
}

// closeEnds does the same at both ends of a line of i-faces.
func (b *block) closeEnds(l *line, j, k int) {
	b.closeEnd(l, iLo, 0, j, k)
	b.closeEnd(l, iHi, b.n[0], j, k)
}

func (b *block) closeEnd(l *line, sd side, i, j, k int) {
	if b.closed[sd] == nil {
		return
	}
	c := k*b.n[1] + j
	switch kind := b.closed[sd][c]; kind {
	case joined:
	case given:
		for v, f := range b.given[sd].faceFlux(c) {
			l.f[v][i] = f
		}
	default:
		b.closeFace(l, i, 0, b.at(i, j, k), kind)
	}
}

func (b *block) closeFace(l *line, at, d, face int, kind faceKind) {
	s := b.stride[d]
	var q [5]float64
	for v := range 5 {
		q[v] = 0.5 * (b.q[v][face-s] + b.q[v][face])
	}
	m := b.metric
	area := vec{m.s[d][0][face], m.s[d][1][face], m.s[d][2][face]}
	sweep := b.omega * m.g[d][face]
	if kind == solid || kind == sliding {
		sweep = q[1]*area[0] + q[2]*area[1] + q[3]*area[2]
	}
	f := direct(&q, area, sweep, b.gamma)
	for v := range 5 {
		l.f[v][at] = f[v]
		if b.visc != nil && kind != sliding {
			l.f[v][at] += l.fv[v][at]
		}
	}
}
