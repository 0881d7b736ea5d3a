package model

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// watch holds a transient against the engine's limits and the user's rules at every
// point of its history. Neither has a hand in what happens, that is what controls are
// for; what is passed and what applies is told, with its time.
type watch struct {
	m      *Model
	name   string // of the case
	limits []passedLimit
	rules  *rule.Set // the user's; nil: none
	names  []string
	held   []heldRule
	points int
}

// passedLimit is a limit with when and how far it was passed.
type passedLimit struct {
	limit
	passage
}

// passage is when a limit was passed and how far.
type passage struct {
	From, To, At float64 // s; at is when it was passed by most
	Most, Value  float64 // by how much of the bound, and what was there
	N            int     // points of the history beyond it
}

// heldRule is a rule that applied, with the words that it had at first.
type heldRule struct {
	Finding  rule.Finding
	From, To float64 // s
	N        int     // points of the history at which it applied
}

// sight is what a watch has seen, for a checkpoint.
type sight struct {
	Limits []passage
	Rules  []heldRule
	Points int
}

func (w *watch) sight() sight {
	s := sight{Rules: w.held, Points: w.points}
	for _, l := range w.limits {
		s.Limits = append(s.Limits, l.passage)
	}
	return s
}

// take takes up what another watch of the same case has seen.
func (w *watch) take(s sight) {
	w.held, w.points = slices.Clone(s.Rules), s.Points
	for i := range s.Limits {
		w.limits[i].passage = s.Limits[i]
	}
}

func (m *Model) newWatch(r resolved) (*watch, error) {
	w := &watch{m: m, name: r.name}
	for _, spec := range r.limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		for _, l := range sides(spec, 0, read.Get) {
			w.limits = append(w.limits, passedLimit{limit: l})
		}
	}
	if len(m.Engine.Rules) == 0 {
		return w, nil
	}
	for _, u := range m.Engine.Rules {
		w.names = append(w.names, u.Name)
	}
	rules, err := m.lib.once("rules", func() (any, error) {
		all, err := rule.New(rule.Shape{Engine: m.Shape()}, m.Engine.Rules)
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

// atBound is how far beyond a limit an engine still counts as working at it: one that is
// held there by a controller swings about it.
const atBound = 1e-4

// look judges the model's present state as that at t, s.
func (w *watch) look(t float64) {
	w.points++
	for i := range w.limits {
		l := &w.limits[i]
		over := l.over()
		if !(over > atBound) {
			continue
		}
		if l.N == 0 {
			l.From = t
		}
		l.To = t
		l.N++
		if over > l.Most {
			l.Most, l.At, l.Value = over, t, l.read()
		}
	}
	if w.rules == nil {
		return
	}
	for _, f := range rule.NewMonitor(w.rules).Case(w.name, w.m.result(w.name, "transient").Environment()) {
		if f.Severity != rule.Info {
			w.hold(f, t)
		}
	}
}

func (w *watch) hold(f rule.Finding, t float64) {
	i := slices.IndexFunc(w.held, func(h heldRule) bool { return h.Finding.Rule == f.Rule && h.Finding.Component == f.Component })
	if i < 0 {
		i = len(w.held)
		w.held = append(w.held, heldRule{Finding: f, From: t})
	}
	w.held[i].To = t
	w.held[i].N++
}

// warnings tell what was seen.
func (w *watch) warnings() []result.Warning {
	var out []result.Warning
	for _, l := range w.limits {
		if l.N == 0 {
			continue
		}
		out = append(out, result.Warning{Severity: rule.Warning, Rule: "limit_passed", Case: w.name, Time: seconds(l.From),
			Message: fmt.Sprintf("%s is passed %s, by at most %s (%.2g %%) at %s", l.name, w.span(l.From, l.To, l.N),
				unit.SI.Format(abs(l.Value-l.bound), difference(l.spec.Dim), 4), 100*l.Most, seconds(l.At)),
			Evidence: []string{fmt.Sprintf("%s = %s at %s", l.spec.Path, unit.SI.Format(l.Value, l.spec.Dim, 6), seconds(l.At))}})
	}
	for _, h := range w.held {
		f := h.Finding
		out = append(out, result.Warning{Severity: f.Severity, Rule: f.Rule, Case: w.name, Component: f.Component, Time: seconds(h.From),
			Message: f.Message, Evidence: append(slices.Clone(f.Evidence), "so "+w.span(h.From, h.To, h.N))})
	}
	return out
}

// span tells at which points of the history something was so.
func (w *watch) span(from, to float64, n int) string {
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
