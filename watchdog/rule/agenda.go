package rule

// Which rules fire for an event of a run. A rule is evaluated when a value in its conditions has changed; else its last
// result counts once more for its hold. It fires when it begins to hold. It fires again after an interval in which it
// did not hold, or after the iterations of its repeat.

import (
	"math"
	"time"
)

// occasion is the reason for an evaluation of the rules.
type occasion int

const (
	everything occasion = iota
	profiles            // a profile came: only rules that name a profile
	silence             // time has passed: only rules that name silent
)

// judge fires the rules of runs.
func (m *Monitor) judge(r *run, at time.Time, on occasion) []Finding {
	r.judged++
	var found []Finding
	groups := m.set.runs
	if on == silence {
		groups = m.set.calm
	}
	for _, group := range groups {
		for unsettled := true; unsettled; {
			unsettled = false
			for _, rule := range group {
				if f := m.turn(r, rule, on); f != nil {
					f.Time = at
					found = append(found, *f)
					unsettled = len(group) > 1
				}
			}
		}
	}
	if on == everything {
		clear(r.dirty)
	}
	return found
}

// turn judges a rule on a run; nil: the rule does not fire.
func (m *Monitor) turn(r *run, rule *rule, on occasion) *Finding {
	s := &r.state[rule.id]
	if r.inSitu && rule.InSitu() { // the run judges it
		return nil
	}
	if on == profiles && !rule.profiles {
		return nil
	}
	if rule.Pause > 0 && s.fired && r.since(s) < float64(rule.Pause) {
		s.stale = true
		return nil
	}
	if s.judged != r.judged {
		s.judged, s.before = r.judged, s.held
	}
	waits := on == silence && !rule.silence // for its time to pass
	switch {
	case waits && s.held == 0:
		return nil
	case waits:
	case on == silence:
		m.inSilence(r, rule, s)
		if s.holds == none && s.err == nil {
			return nil
		}
	case s.stale || r.dirty.meets(rule.inputs):
		s.stale = false
		s.holds, s.err = m.first(rule, r)
	}
	if s.holds == none && s.err == nil {
		s.held, s.stands = 0, false
		return nil
	}
	now := r.wall.now + r.facts.silent
	if s.before == 0 {
		s.from = now
	}
	if !waits {
		s.held = s.before + 1
	}
	if (s.held < rule.Hold || now-s.from < rule.For.Seconds()) && s.err == nil || !s.due(r, rule) {
		return nil
	}
	s.stands, s.event, s.at = true, r.judged, r.at
	s.times++
	if !s.fired && s.err == nil {
		s.fired = true
		r.dirty.set(m.set.firedInput(rule.id))
	}
	f := m.finding(rule, s.holds, s.err, r)
	f.Run, f.Component = r.info.Name, r.info.Component
	f.Evidence = append(r.quotes.lines(evidenceLines), f.Evidence...)
	if f.Acts && f.Action == Unusable && r.rejected == "" {
		r.rejected = f.Message
	}
	return &f
}

// inSilence evaluates the conditions of a rule on the time without a sign of life.
func (m *Monitor) inSilence(r *run, rule *rule, s *state) {
	s.holds, s.err = none, nil
	for i, c := range rule.when {
		if !c.silence || r.lacks(c) != "" {
			continue
		}
		if x, err := r.evaluate(&m.machine, c); err != nil || x == true {
			s.holds, s.err = i, err
			return
		}
	}
}

// due reports whether a rule that holds fires.
func (s *state) due(r *run, rule *rule) bool {
	switch {
	case s.event == r.judged: // it has, for this event
		return false
	case !s.stands:
		return true
	}
	return rule.Repeat > 0 && s.err == nil && r.since(s) >= float64(rule.Repeat)
}

// since is the number of iterations since a rule fired; infinite if the solver has started afresh.
func (r *run) since(s *state) float64 {
	if r.at.begun(s.at) {
		return math.Inf(1)
	}
	return r.at.iter - s.at.iter
}
