package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// MostPassed returns the limit that the present solution exceeds by most; nil if it is within all limits.
func (m *Model) MostPassed(limits []Limit) *Limit {
	if len(limits) == 0 {
		return nil
	}
	m.Margins()
	_ = m.Statics() // a flow that does not fit its area is reported at the end of the walk
	worst, over := -1, 1e-9
	for i, l := range limits {
		if v := l.Excess(); v > over {
			worst, over = i, v
		}
	}
	if worst < 0 {
		return nil
	}
	return &limits[worst]
}

// Limit is the minimum or the maximum of a config.Limit.
type Limit struct {
	Name     string // "hpt.rotor.Tt max 1700 K"
	Spec     config.Limit
	Bound    float64
	sign     float64 // 1: an upper bound; -1: a lower
	Replaces int     // the target that gives way
	Read     func() float64
}

// Excess is by how much a limit is passed, relative to its bound; negative within it.
func (l Limit) Excess() float64 {
	return l.sign * (l.Read() - l.Bound) / max(math.Abs(l.Bound), 1e-12)
}

// AsTarget returns a balance with the limit as its target.
func (l Limit) AsTarget(b config.Balance) config.Balance {
	b.Until, b.Target = l.Spec.Path, l.Bound
	return b
}

// Limits finds the quantities of a case's limits and the targets that they replace.
func (m *Model) Limits(r ResolvedCase) ([]Limit, error) {
	if len(r.Solve) == 0 {
		return nil, nil // no target that a limit could replace
	}
	var out []Limit
	for _, spec := range r.Limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		replaces := 0
		if spec.Vary != "" {
			replaces = -1
			for i, b := range r.Solve {
				if b.Vary == spec.Vary {
					replaces = i
				}
			}
			if replaces < 0 {
				return nil, fmt.Errorf("%s:%v: case %s does not vary %s, which should give way to the limit",
					m.Engine.File, spec.Pos, r.Name, spec.Vary)
			}
		}
		out = append(out, LimitSides(spec, replaces, read.Get)...)
	}
	return out, nil
}

// LimitSides returns a limit for the maximum and another for the minimum.
func LimitSides(spec config.Limit, replaces int, read func() float64) []Limit {
	var out []Limit
	for _, side := range []struct {
		word  string
		bound *float64
		sign  float64
	}{{"max", spec.Max, 1}, {"min", spec.Min, -1}} {
		if side.bound != nil {
			name := spec.Path + " " + side.word + " " + unit.SI.Format(*side.bound, spec.Dim, 6)
			out = append(out, Limit{name, spec, *side.bound, side.sign, replaces, read})
		}
	}
	return out
}

// LimitsPassedAtDesign warns of the engine's limits that the design point exceeds. Limits do not act at the design
// point, because its targets fix it.
func (m *Model) LimitsPassedAtDesign() ([]result.Warning, error) {
	var out []result.Warning
	for _, spec := range m.Engine.Limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		for _, l := range LimitSides(spec, 0, read.Get) {
			if l.Excess() > 1e-9 {
				out = append(out, result.Warning{
					Severity: rule.Warning, Rule: "limit_at_design", Case: m.Engine.DesignCase,
					Message: fmt.Sprintf(
						"the design passes the limit %s; limits hold operating points, not the design", l.Name),
					Evidence: []string{spec.Path + " = " + unit.SI.Format(l.Read(), spec.Dim, 6)},
				})
			}
		}
	}
	return out, nil
}

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
