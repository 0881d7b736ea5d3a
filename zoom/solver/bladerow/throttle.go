package bladerow

import (
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// lowest is a share of the inlet's total pressure: at that exit pressure a flow that is too small counts as choked, and
// the pressure is not lowered further.
const lowest = 0.5

// firstPressure returns the first exit pressure of a run, Pa: the given pressure, or that of a throttle at the flow of
// the first guess, limited so that no row that has yet to accelerate stalls against it; of a given mass flow nine
// tenths of the inlet's total pressure.
func firstPressure(c *Case, p *mesh.Passage) float64 {
	ref, e := c.reference(), &c.Exit
	switch {
	case e.Ps > 0:
		return e.Ps
	case e.K > 0 && c.N > 0:
		w := c.firstFlow(p)
		return min(max(e.K*w*w, lowest*ref.p), 0.9*ref.p)
	}
	return 0.9 * ref.p
}

// firstSetting returns the first setting that the exit pressure follows; see march.Exit.Turn.
func (s *Solver) firstSetting() float64 {
	l := s.levels[s.at]
	ps := l.ps * l.ref.p
	if s.c.Exit.K > 0 {
		w := s.c.firstFlow(l.grid)
		if s.c.N == 0 {
			return ps / (w * w)
		}
		return min(ps/(w*w), s.c.Exit.K)
	}
	return ps
}

// turn moves the exit pressure of a throttle or a given flow after an iteration.
func (s *Solver) turn() {
	l, e := s.last(), &s.c.Exit
	if e.K == 0 && e.W == 0 {
		return
	}
	ps := 0.0
	w := max(l.massFlow(l.n[0]), 0)
	s.setting, ps = e.Turn(s.setting, l.ps*l.ref.p, w, lowest*l.ref.p)
	if numeric.Finite(ps) {
		s.press(max(ps, 0.1*l.ref.p))
	}
}

// press sets the exit pressure on all meshes, Pa.
func (s *Solver) press(ps float64) {
	for _, levels := range s.rows {
		for _, l := range levels {
			l.ps = ps / l.ref.p
		}
	}
}

// follow lets the exit of a throttle or a given flow begin with the pressure of another
// flow, Pa, and a throttle with its own setting.
func (s *Solver) follow(ps float64) {
	e := &s.c.Exit
	if e.K == 0 && e.W == 0 {
		return
	}
	s.press(ps)
	s.setting = ps
	if e.K > 0 {
		s.setting = e.K
	}
}

// choked reports whether a quarter of the height or more is choked. A strip is choked if between the blades some cut
// from side to side is sonic or faster, seen from the row, except in the cells at the blades, so that the exit pressure
// no longer acts on the flow ahead.
func (l *level) choked() bool {
	full := 0
	for k := range l.n[2] {
		for i := l.grid.LE; i < l.grid.TE; i++ {
			if l.sonic(i, k) {
				full++
				break
			}
		}
	}
	return 4*full >= l.n[2]
}

// sonic reports whether the row of cells (i, ., k) is sonic, except for a twelfth of the pitch at either blade, which
// the blade's boundary layer may fill.
func (l *level) sonic(i, k int) bool {
	across := l.grid.Vertex(i, 0, k).Sub(l.grid.Vertex(i, l.n[1], k)).Norm()
	for j := range l.n[1] {
		x := l.grid.Centre(i, j, k)
		if min(x.Sub(l.grid.Vertex(i, 0, k)).Norm(), x.Sub(l.grid.Vertex(i, l.n[1], k)).Norm()) < across/12 {
			continue
		}
		q := l.state(l.at(i, j, k))
		w := mesh.Vec{q[1] + l.omega*x[1], q[2] - l.omega*x[0], q[3]}
		if w.Dot(w) < l.gamma*q[4]/q[0] {
			return false
		}
	}
	return true
}
