package bladerow

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// side is one of the six sides of a block.
type side int

const (
	iLo side = iota
	iHi
	jLo
	jHi
	kLo
	kHi
)

func (s side) dir() int    { return int(s) / 2 }
func (s side) upper() bool { return s%2 == 1 }

// patch is a rectangle of a side with a condition. a and b count cells in the two other directions, in their order.
type patch struct {
	side           side
	a0, a1, b0, b1 int
	cond           condition
	first          int // faces of the whole patch ahead of a piece of it
}

// rows returns the piece of a patch whose b lies from lo to below hi.
func (p patch) rows(lo, hi int) patch {
	lo, hi = max(lo, p.b0), min(hi, p.b1)
	p.first += (lo - p.b0) * (p.a1 - p.a0)
	p.b0, p.b1 = lo, max(lo, hi)
	return p
}

// condition fills the ghost cells of a patch, or of a piece of it. Unless it connects two sides of the mesh, it sets
// the first ring so that the mean of ghost and first cell is the state on the face, from which the flux is computed. It
// reads only the cells in line with the piece, across its side.
type condition interface {
	apply(b *block, p *patch)
	kind() faceKind
}

// prepared is a condition that must see the whole patch before its pieces are filled.
type prepared interface {
	prepare(b *block, p *patch)
}

// fluxGiver is a condition of an i-side that gives the flux through its faces itself.
type fluxGiver interface {
	faceFlux(n int) *[5]float64 // of face n of the side, in the order of each
}

// faceKind is the method for the flux through a boundary face.
type faceKind byte

const (
	joined  faceKind = iota // as inside: the ghosts are cells of another place
	open                    // from the state on the face
	solid                   // likewise, without mass flow
	sliding                 // likewise, but no shear and no heat either
	given                   // by the condition itself, on i-sides
)

// spot is a face of a patch.
type spot struct {
	n    int     // number in the whole patch
	face int     // index of the face
	g, c int     // ghost and first cell
	in   int     // step inwards
	out  float64 // 1 where the face's area vector points out of the block, -1 elsewhere
}

func (b *block) sideSize(s side) (na, nb int) {
	switch s.dir() {
	case 0:
		return b.n[1], b.n[2]
	case 1:
		return b.n[0], b.n[2]
	}
	return b.n[0], b.n[1]
}

// put adds a patch over the whole side.
func (b *block) put(s side, c condition) {
	na, nb := b.sideSize(s)
	b.putPart(s, 0, na, 0, nb, c)
}

// putPart adds a patch over a part of a side. Patches that reach the end of a direction of lower order are continued
// into its ghost cells, which the viscous fluxes read.
func (b *block) putPart(s side, a0, a1, b0, b1 int, c condition) {
	na, nb := b.sideSize(s)
	if b.closed[s] == nil {
		b.closed[s] = make([]faceKind, na*nb)
	}
	for y := b0; y < b1; y++ {
		for x := a0; x < a1; x++ {
			b.closed[s][y*na+x] = c.kind()
		}
	}
	if g, ok := c.(fluxGiver); ok {
		b.given[s] = g
	}
	p := patch{s, a0, a1, b0, b1, c, 0}
	if s.dir() > 0 {
		p.a0, p.a1 = stretch(a0, a1, na)
	}
	if s.dir() > 1 {
		p.b0, p.b1 = stretch(b0, b1, nb)
	}
	at := len(b.patches)
	for at > 0 && b.patches[at-1].side.dir() > s.dir() {
		at--
	}
	b.patches = slices.Insert(b.patches, at, p)
	b.shareOut()
}

func stretch(lo, hi, n int) (int, int) {
	if lo == 0 {
		lo = -1
	}
	if hi == n {
		hi = n + 1
	}
	return lo, hi
}

// shareOut gives every worker its pieces of the patches: of i- and j-sides in its own planes, of k-sides in its share
// of the j-lines. So the pieces of i- and j-sides of a worker need no pieces of another, and the pieces of k-sides only
// need all of the former to be filled.
func (b *block) shareOut() {
	for w, s := range b.scratch {
		s.byPlane, s.byLine = nil, nil
		for _, p := range b.patches {
			lo, hi := share(b.n[2], w, b.workers)
			to := &s.byPlane
			if p.side.dir() == 2 {
				lo, hi = share(b.n[1]+2, w, b.workers)
				lo, hi = lo-1, hi-1
				to = &s.byLine
			}
			if p = p.rows(lo, hi); p.b0 < p.b1 {
				*to = append(*to, p)
			}
		}
	}
}

// sides calls f for the pieces of all patches for whose condition concerns is true: i-sides first, then j-, then
// k-sides, each in the order in which they were put.
func (b *block) sides(concerns func(c condition) bool, f func(p *patch)) {
	of := func(pieces []patch) {
		for n := range pieces {
			if p := &pieces[n]; concerns(p.cond) {
				f(p)
			}
		}
	}
	if b.regions != nil {
		b.regions.exchange.Enter()
		defer b.regions.exchange.Leave()
	}
	var planes, lines bool
	for n := range b.patches {
		if p := &b.patches[n]; concerns(p.cond) {
			planes, lines = planes || p.side.dir() < 2, lines || p.side.dir() == 2
		}
	}
	if planes {
		b.team(b.workers, func(w int) { of(b.scratch[w].byPlane) })
	}
	if lines {
		b.team(b.workers, func(w int) { of(b.scratch[w].byLine) })
	}
}

func all(condition) bool { return true }

// is reports whether a condition is of type C.
func is[C condition](c condition) bool {
	_, ok := c.(C)
	return ok
}

// boundaries fills all ghost cells, i-sides first, so that edges are filled too.
func (b *block) boundaries() {
	for n := range b.patches {
		if c, ok := b.patches[n].cond.(prepared); ok {
			c.prepare(b, &b.patches[n])
		}
	}
	b.sides(all, func(p *patch) { p.cond.apply(b, p) })
}

// each visits the faces of a patch, or of a piece of it.
func (b *block) each(p *patch, visit func(s spot)) {
	d, n := p.side.dir(), p.first
	s := b.stride[d]
	for y := p.b0; y < p.b1; y++ {
		for x := p.a0; x < p.a1; x++ {
			var at [3]int
			switch d {
			case 0:
				at = [3]int{0, x, y}
			case 1:
				at = [3]int{x, 0, y}
			default:
				at = [3]int{x, y, 0}
			}
			if p.side.upper() {
				at[d] = b.n[d]
				c := b.at(at[0], at[1], at[2])
				visit(spot{n: n, face: c, g: c, c: c - s, in: -s, out: 1})
			} else {
				c := b.at(at[0], at[1], at[2])
				visit(spot{n: n, face: c, g: c - s, c: c, in: s, out: -1})
			}
			n++
		}
	}
}

// normal returns the unit vector out of the block.
func (b *block) normal(s spot, d int) mesh.Vec {
	n := mesh.Vec{b.metric.s[d][0][s.face], b.metric.s[d][1][s.face], b.metric.s[d][2][s.face]}
	return n.Times(s.out / (n.Norm() + tiny))
}

// setFace sets the ghost of s so that the mean of ghost and first cell is q. If that ghost would have no positive
// density or pressure, it gets q itself.
func (b *block) setFace(s spot, q [5]float64) {
	var g [5]float64
	for v := range 5 {
		g[v] = 2*q[v] - b.q[v][s.c]
	}
	if !(g[0] > 0.1*q[0] && g[4] > 0.1*q[4]) {
		g = q
	}
	b.setState(s.g, g)
}

// extrapolated returns the state on a face by linear extrapolation from the two cells inside of it. If density or
// pressure change by more than about half between them, it changes smoothly into the first cell's own state.
func (b *block) extrapolated(s spot, d int) [5]float64 {
	q := b.state(s.c)
	if b.n[d] == 1 {
		return q
	}
	n := b.state(s.c + s.in)
	r := 2 * max(math.Abs(q[0]-n[0])/min(q[0], n[0]), math.Abs(q[4]-n[4])/min(q[4], n[4]))
	r *= r
	half := 0.5 / (1 + r*r)
	for v := range 5 {
		q[v] += half * (q[v] - n[v])
	}
	return q
}

// Fluxes through the block's sides. A known state on a face gives its flux: at walls, inlets and exits this flux
// replaces the flux between two cells.

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
	area := mesh.Vec{m.s[d][0][face], m.s[d][1][face], m.s[d][2][face]}
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
