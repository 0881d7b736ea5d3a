package state

// The judgement of a run in time. Its residuals measure how fast the flow changes from step to step: they tell whether
// it became steady, and nothing else. A run in time is good if it came to its end time without running away.

import (
	"fmt"
	"math"
	"strings"
)

// inTime reports whether the run marches in time, and not by local steps to a steady flow: such a run counts its
// iterations in one file, and adds up a time without meaning in another.
func (m *Machine) inTime() bool {
	if !m.marching || m.local || m.timed {
		return m.marching && !m.local
	}
	for _, from := range m.sources {
		if from.known && !from.fraction {
			return false
		}
	}
	return true
}

// Signs that a run in time runs away, and that its time steps collapse. They are relative to what the run did before.
const (
	runsFar      = 1   // orders above the largest of these
	runsFast     = 0.3 // orders of growth within headLength samples: a start-up grows by less and less
	leastCourant = 0.3 // log10: below, an implicit scheme damps
	leastLoss    = -2  // log10 of a balance of mass; below, it is an error of a linear solver
	leastFallen  = 2   // orders that a time step has fallen, with no end of the fall
	settledFall  = 1   // orders, by which a residual of a run that settled has fallen
)

// runaway reports whether the latest samples are all far above every earlier one, and still grow fast. One wave that
// passes does not: it has come down by then, or grows no more.
func (s *series) runaway(level float64) bool {
	if s.count <= 2*ranBefore {
		return false
	}
	first, lowest, before, last := float64(s.recent[(s.count-headLength)%recentLength]), s.lowest(), s.before, s.last
	if s.kind == ofValue { // else they are logarithms
		first, lowest, before, last = math.Log10(first), math.Log10(lowest), math.Log10(before), math.Log10(last)
	}
	return lowest > max(before+runsFar, level) && last-first > runsFast
}

// blowUp returns the reasons why a run in time runs away; empty if it does not.
func (m *Machine) blowUp() (why []string) {
	var step *series
	for _, s := range m.order {
		if s.kind == ofStep {
			step = s
		}
	}
	for _, s := range m.order {
		level := leastCourant
		switch s.kind {
		case ofCourant: // it grows with a time step that grows
			if step != nil && step.count > 2*headLength && step.last > step.level(2*headLength)+0.02 {
				continue
			}
		case ofValue:
			if level = math.Inf(-1); !strings.Contains(strings.ToLower(s.name), "energy") {
				continue
			}
		case ofBalance:
			if level = leastLoss; !strings.HasSuffix(s.name, "local") {
				continue
			}
		default:
			continue
		}
		if s.runaway(level) {
			why = append(why, fmt.Sprintf("%s has come to more than ten times all that it was until %d steps ago, "+
				"and grows", s.name, ranBefore))
		}
	}
	return why
}

// collapse returns the reason why the time step collapses; empty if it does not.
func (m *Machine) collapse(buffer []float64) string {
	for _, s := range m.order {
		if s.kind != ofStep || s.count < leastSamples {
			continue
		}
		now, fallen := s.level(headLength), s.highest-s.level(headLength)
		endless := fallen > leastFallen && now <= s.lowestBlock()+progressStep &&
			trend(s.window(s.span(m.per(s)), buffer)).high < 0
		if fallen > stepCollapse || endless {
			return fmt.Sprintf("the time step has fallen by %.1f orders, to %.2g s", fallen, math.Pow(10, s.last))
		}
	}
	return ""
}

// lowestBlock returns the least mean of a block.
func (s *series) lowestBlock() float64 {
	least := math.Inf(1)
	for _, b := range s.blocks {
		least = min(least, float64(b.mean))
	}
	return least
}

// decideInTime returns the present state of a run in time, and the reasons.
func (m *Machine) decideInTime(v *view) (State, []string) {
	if why := m.blowUp(); len(why) > 0 {
		return BlowingUp, why
	}
	if why := m.collapse(m.buffer[:]); why != "" {
		return StepCollapse, []string{why}
	}
	if why := m.inner.stalled(); why != "" {
		return InnerStalled, []string{why}
	}
	if values, calm := v.calm(); calm {
		return Settled, values
	}
	if why := v.still(); len(why) > 0 {
		return Settled, why
	}
	why, cyclic := m.cycles(v)
	if cyclic {
		return Periodic, why
	}
	if len(why) == 0 {
		why = v.of(swaying, moving, wild)
	}
	return Running, append(why, v.sentences(v.equations)...)
}

// still returns the reasons if every residual has come down to its target, one of them from far above it, and no value
// moves; empty otherwise.
func (v *view) still() []string {
	fallen := 0.0
	for _, e := range v.equations {
		if e.course != reached {
			return nil
		}
		fallen = max(fallen, e.fallen)
	}
	if fallen < settledFall || len(v.of(swaying, moving, wild)) > 0 {
		return nil
	}
	return v.sentences(v.equations)
}

// idle is the share of the largest value of a table, which a value that moves irregularly may change by in a cycle.
const idle = 0.05

// cycles describes the cycles of the values that swing regularly. The run is periodic if all of these have a settled
// mean, and every other value too, if it moves by much.
func (m *Machine) cycles(v *view) (text []string, all bool) {
	most := v.largest()
	all = true
	for _, x := range v.values {
		s := m.names[x.name].series
		switch x.movement {
		case swaying, hovering:
			c := measureCycle(s, &m.times, m.per(s), &x)
			text = append(text, c.sentence(x.name))
			all = all && c.settled(x.size)
		case moving, wild:
			all = all && (x.change*x.size < idle*most[x.table()] || x.meanSettles(s))
		}
	}
	return text, all && len(text) > 0
}

// finalInTime returns the state of a run in time that has ended without an error.
func (m *Machine) finalInTime(v *view, now State, why []string, end Ending, closed bool) (State, []string) {
	limit := m.options.Limit
	short := limit > 0 && m.iteration < limit*(1-1e-6) && float64(m.count) < limit
	switch {
	case now == InnerStalled:
		return now, why
	case m.said[SaidLimit] != "":
		return Limit, append([]string{"the solver says: " + m.said[SaidLimit]}, why...)
	case m.said[SaidStopped] != "":
		return EndedEarly, append([]string{"the solver says: " + m.said[SaidStopped]}, why...)
	}
	if odd := append(v.contradictions(now.Usable()), m.limiters.held(m.count)...); now.Usable() && len(odd) > 0 {
		return Unphysical, odd
	}
	switch {
	case now.Usable():
		return now, why
	case short:
		return EndedEarly, append([]string{fmt.Sprintf("it ended at %g, before its end time of %g", m.iteration,
			limit)}, why...)
	case closed || end.Known || limit > 0:
		return Complete, append([]string{fmt.Sprintf("it reached its end time, %g", m.iteration)}, why...)
	}
	return Limit, append([]string{fmt.Sprintf("it ends at %g, and its files do not show whether this is its end time",
		m.iteration)}, why...)
}
