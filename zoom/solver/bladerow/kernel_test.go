package bladerow

// fill sets every cell, ghosts included, to the state that at returns for it.
func (b *block) fill(at func(i, j, k int) [5]float64) {
	for k := -ghosts; k < b.n[2]+ghosts; k++ {
		for j := -ghosts; j < b.n[1]+ghosts; j++ {
			for i := -ghosts; i < b.n[0]+ghosts; i++ {
				q := at(i, j, k)
				c := b.at(i, j, k)
				for v := range 5 {
					b.q[v][c] = q[v]
				}
			}
		}
	}
}

// around puts conditions on the whole sides of a block: along i, j and k, the low side first.
func (b *block) around(conds ...condition) {
	for s, c := range conds {
		b.put(side(s), c)
	}
}

// bisected returns the place between lo and hi up to which below holds.
func bisected(lo, hi float64, below func(x float64) bool) float64 {
	for range 100 {
		if x := (lo + hi) / 2; below(x) {
			lo = x
		} else {
			hi = x
		}
	}
	return lo
}

// prescribed holds the state on each face fixed: supersonic inflow, and exact
// solutions.
type prescribed struct {
	q func(face int, d int) [5]float64
}

func (prescribed) kind() faceKind { return open }

func (c prescribed) apply(b *block, p *patch) {
	b.each(p, func(s spot) { b.setFace(s, c.q(s.face, p.side.dir())) })
}

// outflow extrapolates everything: supersonic exit.
type outflow struct{}

func (outflow) kind() faceKind { return open }

func (outflow) apply(b *block, p *patch) {
	b.each(p, func(s spot) {
		b.setFace(s, b.extrapolated(s, p.side.dir()))
	})
}

// uniform returns an exit of uniform pressure.
func uniform(p float64) *exit {
	var ps []float64
	return &exit{p: func(b *block, pt *patch) []float64 {
		if ps == nil {
			ps = make([]float64, (pt.a1-pt.a0)*(pt.b1-pt.b0))
			for n := range ps {
				ps[n] = p
			}
		}
		return ps
	}}
}
