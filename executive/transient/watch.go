package transient

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// watch checks the engine's limits and the user's rules at every point of a transient's history. They do not act on the
// transient; controls do. The watch reports the exceeded limits and the matching rules, with their times.
type watch struct {
	m         *graph.Model
	name      string // of the case
	limits    []passedLimit
	rules     *rule.Set // the user's; nil: none
	names     []string
	ruleSpans []ruleSpan
	points    int
}

// passedLimit is a limit with the time span in which it was exceeded.
type passedLimit struct {
	graph.Limit
	limitSpan
}

// limitSpan is when a limit was passed, and by how much.
type limitSpan struct {
	From, To, At float64 // s; At is the time of the largest excess
	Most, Value  float64 // largest excess as a fraction of the bound, and the value then
	N            int     // points of the history beyond it
}

// ruleSpan is when a rule applied, with its first finding.
type ruleSpan struct {
	Finding  rule.Finding
	From, To float64 // s
	N        int     // points of the history at which it applied
}

// watchState is the state of a watch, for a checkpoint.
type watchState struct {
	Limits []limitSpan
	Rules  []ruleSpan
	Points int
}

func (w *watch) state() watchState {
	s := watchState{Rules: w.ruleSpans, Points: w.points}
	for _, l := range w.limits {
		s.Limits = append(s.Limits, l.limitSpan)
	}
	return s
}

// restore sets the watch to the state of another watch of the same case.
func (w *watch) restore(s watchState) {
	w.ruleSpans, w.points = slices.Clone(s.Rules), s.Points
	for i := range s.Limits {
		w.limits[i].limitSpan = s.Limits[i]
	}
}

// newWatch makes the watch of a case.
func newWatch(m *graph.Model, r graph.ResolvedCase) (*watch, error) {
	w := &watch{m: m, name: r.Name}
	for _, spec := range r.Limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		for _, l := range graph.LimitSides(spec, 0, read.Get) {
			w.limits = append(w.limits, passedLimit{Limit: l})
		}
	}
	if len(m.Engine.Rules) == 0 {
		return w, nil
	}
	for _, u := range m.Engine.Rules {
		w.names = append(w.names, u.Name)
	}
	rules, err := m.Once("rules", func() (any, error) {
		all, err := rule.New(m.RuleShape(), m.Engine.Rules)
		if err != nil {
			return nil, err
		}
		return all.Only(w.names), nil
	})
	if err != nil {
		return nil, err
	}
	w.rules = rules.(*rule.Set)
	return w, nil
}

// limitTolerance is the excess, as a fraction of the bound, up to which a limit still counts as met: an engine that a
// controller keeps at a limit oscillates about it.
const limitTolerance = 1e-4

// check checks limits and rules at the model's present state, at t, s.
func (w *watch) check(t float64) {
	w.points++
	for i := range w.limits {
		l := &w.limits[i]
		over := l.Excess()
		if !(over > limitTolerance) {
			continue
		}
		if l.N == 0 {
			l.From = t
		}
		l.To = t
		l.N++
		if over > l.Most {
			l.Most, l.At, l.Value = over, t, l.Read()
		}
	}
	if w.rules == nil {
		return
	}
	for _, f := range rule.NewMonitor(w.rules).Case(w.name, w.m.Result(w.name, "transient").Environment()) {
		if f.Severity != rule.Info {
			w.addRule(f, t)
		}
	}
}

// addRule adds a finding at t, s, to the span of its rule and component.
func (w *watch) addRule(f rule.Finding, t float64) {
	i := slices.IndexFunc(w.ruleSpans, func(h ruleSpan) bool {
		return h.Finding.Rule == f.Rule && h.Finding.Component == f.Component
	})
	if i < 0 {
		i = len(w.ruleSpans)
		w.ruleSpans = append(w.ruleSpans, ruleSpan{Finding: f, From: t})
	}
	w.ruleSpans[i].To = t
	w.ruleSpans[i].N++
}

// warnings returns a warning for each exceeded limit and each matching rule.
func (w *watch) warnings() []result.Warning {
	var out []result.Warning
	for _, l := range w.limits {
		if l.N == 0 {
			continue
		}
		out = append(out, result.Warning{Severity: rule.Warning, Rule: "limit_passed", Case: w.name,
			Time: seconds(l.From),
			Message: fmt.Sprintf("%s is passed %s, by at most %s (%.2g %%) at %s", l.Name, w.when(l.From, l.To, l.N),
				unit.SI.Format(abs(l.Value-l.Bound), difference(l.Spec.Dim), 4), 100*l.Most, seconds(l.At)),
			Evidence: []string{
				fmt.Sprintf("%s = %s at %s", l.Spec.Path, unit.SI.Format(l.Value, l.Spec.Dim, 6), seconds(l.At)),
			}})
	}
	for _, h := range w.ruleSpans {
		f := h.Finding
		out = append(out, result.Warning{Severity: f.Severity, Rule: f.Rule, Case: w.name, Component: f.Component,
			Time:    seconds(h.From),
			Message: f.Message, Evidence: append(slices.Clone(f.Evidence), "so "+w.when(h.From, h.To, h.N))})
	}
	return out
}

// when writes the times of a span and its number of points.
func (w *watch) when(from, to float64, n int) string {
	if n == 1 {
		return "at " + seconds(from)
	}
	return fmt.Sprintf("from %s to %s (%d of %d points)", seconds(from), seconds(to), n, w.points)
}

// seconds writes a time of a transient.
func seconds(t float64) string { return unit.Brief(t) + " s" }

func difference(dim unit.Dimension) unit.Dimension {
	if dim == unit.Temperature {
		return unit.TemperatureDiff
	}
	return dim
}

func abs(x float64) float64 { return max(x, -x) }
