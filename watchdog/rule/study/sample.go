package study

// Samples of a run's file are taken as the events that they would make, without making any: of most values no rule
// knows the name.

import (
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// Sample takes a sample that a parser read from a file of a run at a time. The result is the same as that of Event with
// the sample's event.
func (m *Monitor) Sample(name string, p *history.Parser, s *history.Sample, at time.Time) []Finding {
	if m.takes(name, p, s) {
		return nil
	}
	e := p.Event(s)
	e.Run, e.Time = name, at
	return m.Event(e)
}

// takes takes a sample whose values the rules do not see, and reports whether this is the case.
func (m *Monitor) takes(name string, p *history.Parser, s *history.Sample) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	if r == nil || !r.known || r.machine != nil || s.Kind != event.Iteration {
		return false
	}
	c := r.file(p, m.set)
	seen := func(name int) bool { return c.named[name] }
	if slices.ContainsFunc(s.Numbers, func(n history.Number) bool { return seen(n.Name) }) ||
		slices.ContainsFunc(s.NonFinite, seen) {
		return false
	}
	if at, ok := s.Value(c.iteration); ok {
		r.Numbers["iteration"] = at
	}
	return true
}

// columns are the names of a parser as the rules see them.
type columns struct {
	named     []bool // some rule names it, or a value that is computed from it
	iteration int    // its place among the names; -1: none
}

// file returns the columns of a parser.
func (r *run) file(p *history.Parser, s *Set) *columns {
	c := r.files[p]
	if c == nil {
		c = &columns{iteration: -1}
		r.files[p] = c
	}
	places := s.kinds[config.Kind].place
	_, worst := places["residual"]
	names := p.Names()
	for i := len(c.named); i < len(names); i++ {
		_, named := places[names[i]]
		if names[i] == "iteration" {
			c.iteration = i
		}
		c.named = append(c.named, named || worst && strings.HasPrefix(names[i], rule.ResidualPrefix))
	}
	return c
}
