package graph

import (
	"slices"

	"github.com/peregrine-sim/peregrine/config"
)

// ResolvedCase is a case with its inherited settings, targets and limits.
type ResolvedCase struct {
	Name   string
	Set    []config.Setting
	Solve  []config.Balance
	Limits []config.Limit
}

// Resolve merges a case with its ancestors (`from`). Settings and limits accumulate. Of the solve lists the nearest
// applies, even if it is empty.
func (m *Model) Resolve(c *config.Case) ResolvedCase {
	r := ResolvedCase{Name: c.Name, Limits: m.Engine.Limits}
	if c.From != "" {
		if parent := m.Engine.Case(c.From); parent != nil {
			p := m.Resolve(parent)
			r.Set, r.Solve, r.Limits = p.Set, p.Solve, p.Limits
		}
	}
	r.Set = lastOfEach(slices.Concat(r.Set, c.Set))
	r.Limits = slices.Concat(r.Limits, c.Limits)
	if c.Solve != nil {
		r.Solve = c.Solve
	}
	r.Solve = slices.Clone(r.Solve)
	return r
}

// lastOfEach keeps only the last setting of each parameter.
func lastOfEach(settings []config.Setting) []config.Setting {
	var out []config.Setting
	for i, s := range settings {
		later := slices.ContainsFunc(settings[i+1:], func(t config.Setting) bool { return t.Path == s.Path })
		if !later {
			out = append(out, s)
		}
	}
	return out
}

// Targets returns the own or inherited solve list of a case.
func (m *Model) Targets(c *config.Case) []config.Balance { return m.Resolve(c).Solve }
