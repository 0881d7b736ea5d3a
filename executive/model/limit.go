package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// withinLimits solves a case so that none of its limits is passed. The limit that
// binds takes the place of the target whose parameter gives way (by default the
// first of the solve list: the throttle): an active set of one limit for each
// varied parameter, exchanged until no other is passed. Limits are watched on the
// way as well, so that a target far beyond a limit is not walked to first. Which
// of them bind is kept for the result.
func (m *Model) withinLimits(ctx context.Context, nw *newton.Solver, r resolved) (result.SolveInfo, error) {
	m.Limited = nil
	limits, err := m.limits(r)
	if err != nil {
		return result.SolveInfo{}, err
	}
	if len(limits) == 0 {
		info, _, err := m.reach(ctx, nw, r, nil)
		return info, err
	}
	asked := slices.Clone(r.solve)
	bound := map[int]limit{} // by target
	var total result.SolveInfo
	early := false // a limit took over perhaps before the case's settings were reached
	for range 4*len(limits) + 8 {
		info, passed, err := m.reach(ctx, nw, r, limits)
		total.Add(info)
		if err != nil {
			return total, err
		}
		if passed != nil {
			early = true
			bound[passed.gives] = *passed
			r.solve[passed.gives] = passed.target(r.solve[passed.gives])
			continue
		}
		if early && len(bound) > 0 {
			early = false
			if info, ok := m.askAgain(ctx, nw, r, asked, limits); ok {
				total.Add(info)
				return total, nil
			}
		}
		for _, l := range limits {
			if b, ok := bound[l.gives]; ok && b.name == l.name {
				m.Limited = append(m.Limited, l.name)
			}
		}
		return total, nil
	}
	return total, &SolveError{Reason: "the limits contradict each other: no operating point is within all of them"}
}

// askAgain tries the targets that limits took the place of on the way: at the
// end of it they may be within all limits. If not, the model stays where it is.
func (m *Model) askAgain(ctx context.Context, nw *newton.Solver, r resolved, asked []config.Balance, limits []limit) (result.SolveInfo, bool) {
	here := m.save()
	r.solve = asked
	info, passed, err := m.reach(ctx, nw, r, limits)
	if err == nil && passed == nil {
		return info, true
	}
	m.Restore(here)
	nw.Forget()
	if err := m.Settle(); err != nil {
		return info, false
	}
	return info, false
}

// passed is the limit that the present solution passes by most, nil if none.
func (m *Model) passed(limits []limit) *limit {
	if len(limits) == 0 {
		return nil
	}
	m.margins()
	_ = m.statics() // what does not fit its area is told at the end of the way
	worst, over := -1, 1e-9
	for i, l := range limits {
		if v := l.over(); v > over {
			worst, over = i, v
		}
	}
	if worst < 0 {
		return nil
	}
	return &limits[worst]
}

// limit is one side of a config.Limit.
type limit struct {
	name  string // "hpt.rotor.Tt max 1700 K"
	spec  config.Limit
	bound float64
	sign  float64 // 1: an upper bound
	gives int     // the target that gives way
	read  func() float64
}

// over is by how much a limit is passed, relative to its bound.
func (l limit) over() float64 {
	return l.sign * (l.read() - l.bound) / max(math.Abs(l.bound), 1e-12)
}

// target is a balance with the limit in the place of what it asked for.
func (l limit) target(b config.Balance) config.Balance {
	b.Until, b.Target = l.spec.Path, l.bound
	return b
}

// limits resolves the limits of a case.
func (m *Model) limits(r resolved) ([]limit, error) {
	if len(r.solve) == 0 {
		return nil, nil // nothing can give way
	}
	var out []limit
	for _, spec := range r.limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		gives := 0
		if spec.Vary != "" {
			gives = -1
			for i, b := range r.solve {
				if b.Vary == spec.Vary {
					gives = i
				}
			}
			if gives < 0 {
				return nil, fmt.Errorf("%s:%v: case %s does not vary %s, which should give way to the limit", m.Engine.File, spec.Pos, r.name, spec.Vary)
			}
		}
		out = append(out, sides(spec, gives, read.Get)...)
	}
	return out, nil
}

// sides makes one limit of a maximum and one of a minimum.
func sides(spec config.Limit, gives int, read func() float64) []limit {
	var out []limit
	for _, side := range []struct {
		word  string
		bound *float64
		sign  float64
	}{{"max", spec.Max, 1}, {"min", spec.Min, -1}} {
		if side.bound != nil {
			name := spec.Path + " " + side.word + " " + unit.SI.Format(*side.bound, spec.Dim, 6)
			out = append(out, limit{name, spec, *side.bound, side.sign, gives, read})
		}
	}
	return out
}

// passedAtDesign are warnings of the engine's limits that the design point
// passes: there they have no say, since its targets fix it.
func (m *Model) passedAtDesign() ([]result.Warning, error) {
	var out []result.Warning
	for _, spec := range m.Engine.Limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		for _, l := range sides(spec, 0, read.Get) {
			if l.over() > 1e-9 {
				out = append(out, result.Warning{
					Severity: rule.Warning, Rule: "limit_at_design", Case: m.Engine.DesignCase,
					Message:  fmt.Sprintf("the design passes the limit %s; limits hold operating points, not the design", l.name),
					Evidence: []string{spec.Path + " = " + unit.SI.Format(l.read(), spec.Dim, 6)},
				})
			}
		}
	}
	return out, nil
}
