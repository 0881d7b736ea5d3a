package bladerow

import "github.com/peregrine-sim/peregrine/internal/numeric"

// lowest is the exit pressure, of the inlet's total pressure, below which a flow that is
// too small is taken for choked and the pressure not lowered further.
const lowest = 0.5

// firstPressure returns the exit pressure that a run begins with, Pa: that given, or
// that of a throttle at the flow of the first guess, if no row that is yet to
// accelerate would stall against it; of a given mass flow nine tenths of the inlet's
// total pressure.
func firstPressure(c *Case, p *passage) float64 {
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

// firstSetting returns what the exit pressure follows at first; see march.Exit.Turn.
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
