package rule

// Which rules fire for an event of a run. A rule is evaluated when a value in its conditions has changed; else its last
// result counts once more for its hold. It fires when it begins to hold. It fires again after an interval in which it
// did not hold, or after the iterations of its repeat.

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/expr-lang/expr/vm"
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
		s.holds, s.err = m.first(rule, r, true)
		if s.holds == none && s.err == nil {
			return nil
		}
	case s.stale || r.dirty.meets(rule.inputs):
		s.stale = false
		s.holds, s.err = m.first(rule, r, false)
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

// finding describes a rule whose condition holds, with the values of its action. wrong is the reason why the action has
// none.
func (r *rule) finding(c *condition, machine *vm.VM, env evaluator) (f Finding, wrong error) {
	f = Finding{Severity: r.Severity, BuiltIn: r.BuiltIn(), Rule: r.Name, Evidence: []string{}, Most: r.Most,
		Notify: r.Notify}
	if f.Does, wrong = c.does(r.action, machine, env); wrong == nil {
		f.Action, f.Values, f.Acts = f.Does.Verb, f.Does.Values, r.Act && f.Does.Verb != ""
	}
	f.Message = c.message.render(machine, env)
	return f, wrong
}

// The new values that an action gives to objects, where they are expressions: cfl / 2. A name in an expression on a run
// is the object of that name: its value as given to the solver, with later changes by commands, even if the solver
// reports a value under the same name. If no such object exists, the name is the last value that the run reported.

// does returns an action with values instead of expressions.
func (c *condition) does(a Action, machine *vm.VM, env evaluator) (Action, error) {
	if len(c.to) == 0 {
		return a, nil
	}
	a = a.Constant()
	for _, to := range c.to {
		x, err := valueOf(to.value, machine, env)
		if err != nil {
			return Action{}, fmt.Errorf("%s = %s: %w", to.name, to.value.text, err)
		}
		if err := a.Give(to.name, x); err != nil {
			return Action{}, fmt.Errorf("%s = %s %w", to.name, to.value.text, err)
		}
	}
	return a, nil
}

// valueOf evaluates an expression, on a run over its objects first.
func valueOf(c *condition, machine *vm.VM, env evaluator) (any, error) {
	if r, ok := env.(*run); ok {
		defer r.objectsFirst(c)()
		if missing := r.lacks(c); missing != "" {
			return nil, fmt.Errorf("the run does not report %s", missing)
		}
	}
	return env.evaluate(machine, c)
}

// objectsFirst replaces the values of names in an expression by the objects of these names, until end is called.
func (r *run) objectsFirst(c *condition) (end func()) {
	var undo []func()
	for _, name := range slices.Concat(c.refs.names, c.refs.series) {
		slot, named := r.set.slots[name]
		if !named || r.slots[slot].object == nil {
			continue
		}
		v := r.slots[slot]
		last, has := v.last, v.has
		v.last, v.has = *v.object, true
		undo = append(undo, func() { v.last, v.has = last, has })
	}
	return func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
}
