package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// withinLimits solves a case so that none of its limits is passed. It is an active-set
// method. A limit that binds replaces the target of one varied parameter (by default the
// first of the solve list: the throttle). Each parameter has at most one active limit;
// limits are exchanged until none is passed. Limits are checked on the way to the case
// too, so that the solver does not walk to a target far beyond a limit. The limits that
// bind are listed in m.Limited.
func (m *Model) withinLimits(ctx context.Context, nw *newton.Solver, r resolved) (result.SolveInfo, error) {
	m.Limited, m.missed = nil, nil
	limits, err := m.limits(r)
	if err != nil {
		return result.SolveInfo{}, err
	}
	if len(limits) == 0 {
		info, _, err := m.reach(ctx, nw, r, nil)
		return info, err
	}
	targets := slices.Clone(r.solve)
	active := map[int]limit{} // by index of the target
	var total result.SolveInfo
	limitedOnWay := false // a limit became active, perhaps before the case's settings were reached
	exchanged := false    // for the limit that binds at the case's settings
	taken := map[string]int{}
	// times that a limit becomes active, if that is cheap: it may give way to another and bind in the end
	const most = 3
	for {
		r.spent = total.Evaluations
		info, passed, err := m.reach(ctx, nw, r, limits)
		total.Add(info)
		if err != nil {
			return total, err
		}
		if passed != nil {
			limitedOnWay = true
			taken[passed.name]++
			if n := taken[passed.name]; n > most || n > 1 && total.Evaluations > leastPatient {
				return total, &SolveError{
					Reason: "the limits contradict each other: no operating point is within all of them",
				}
			}
			active[passed.replaces] = *passed
			r.solve[passed.replaces] = passed.asTarget(r.solve[passed.replaces])
			continue
		}
		if limitedOnWay && len(active) > 0 {
			limitedOnWay = false
			info, other, done, err := m.retryTargets(ctx, nw, r, targets, limits)
			switch {
			case done:
				total.Add(info)
				return total, err
			case other != nil && !exchanged && active[other.replaces].name != other.name: // behind those of the way
				exchanged = true
				total.Add(info)
				clear(active)
				active[other.replaces] = *other
				r.solve = slices.Clone(targets)
				r.solve[other.replaces] = other.asTarget(r.solve[other.replaces])
				continue
			}
		}
		for _, l := range limits {
			if b, ok := active[l.replaces]; ok && b.name == l.name {
				m.Limited = append(m.Limited, l.name)
			}
		}
		m.missed = m.missedTargets(targets, active)
		return total, nil
	}
}

// missedTargets compares the targets that limits replace with what the solution has instead.
func (m *Model) missedTargets(targets []config.Balance, active map[int]limit) []string {
	var out []string
	for _, i := range slices.Sorted(maps.Keys(active)) {
		path, want := targets[i].Until, targets[i].Target
		read, err := m.Read(path)
		if err != nil { // prepareCase refuses such a target
			continue
		}
		dim := m.dimension(path)
		out = append(out, fmt.Sprintf("%s is %s; the target is %s", path, unit.SI.Format(read.Get(), dim, 6),
			unit.SI.Format(want, dim, 6)))
	}
	return out
}

// retryTargets solves the case once more with its first targets. A limit that was passed on
// the way to the case need not bind at its end. It reports false, and leaves the model
// where it was, if the targets are not found or still pass a limit, which it returns. The error says that a target is
// beyond its extreme value, and that this value is within the limits.
func (m *Model) retryTargets(ctx context.Context, nw *newton.Solver, r resolved, targets []config.Balance,
	limits []limit) (info result.SolveInfo, passed *limit, done bool, err error) {
	here := m.save()
	r.solve = targets
	info, passed, err = m.reach(ctx, nw, r, limits)
	var fold *FoldError
	if err == nil && passed == nil || errors.As(err, &fold) {
		return info, nil, true, err
	}
	m.Restore(here)
	nw.Forget()
	_ = m.Settle() // it was a solution
	return info, passed, false, nil
}

// passedAtFold returns the limit that is passed where a case's target has its extreme value: it comes before that
// value, which is then not what keeps the engine from its target. Nil if err has no such value, or it is
// within the limits. It leaves the model at the extreme.
func (m *Model) passedAtFold(r resolved, limits []limit, err error) *limit {
	var fold *FoldError
	if len(limits) == 0 || len(r.solve) == 0 || m.base == nil || !errors.As(err, &fold) {
		return nil
	}
	s, way, err := m.prepareCase(r)
	if err != nil {
		return nil
	}
	way.set(1)
	at := m.lineCase(r)
	x := m.line(at).end(s, at.solve[0].Target)
	if x == nil || s.eval(x, make([]float64, len(x))) != nil {
		return nil
	}
	l := m.mostPassed(limits)
	if l != nil && way.aimsAt(l) { // it is the target that has the extreme value
		return nil
	}
	return l
}

// mostPassed returns the limit that the present solution passes by most; nil if it passes
// none.
func (m *Model) mostPassed(limits []limit) *limit {
	if len(limits) == 0 {
		return nil
	}
	m.margins()
	_ = m.statics() // a flow that does not fit its area is reported at the end of the walk
	worst, over := -1, 1e-9
	for i, l := range limits {
		if v := l.excess(); v > over {
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
	name     string // "hpt.rotor.Tt max 1700 K"
	spec     config.Limit
	bound    float64
	sign     float64 // 1: an upper bound; -1: a lower
	replaces int     // the target that gives way
	read     func() float64
}

// excess is by how much a limit is passed, relative to its bound; negative within it.
func (l limit) excess() float64 {
	return l.sign * (l.read() - l.bound) / max(math.Abs(l.bound), 1e-12)
}

// asTarget returns a balance with the limit as its target.
func (l limit) asTarget(b config.Balance) config.Balance {
	b.Until, b.Target = l.spec.Path, l.bound
	return b
}

// limits finds the quantities of a case's limits and the targets that they replace.
func (m *Model) limits(r resolved) ([]limit, error) {
	if len(r.solve) == 0 {
		return nil, nil // there is no target that a limit could replace
	}
	var out []limit
	for _, spec := range r.limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		replaces := 0
		if spec.Vary != "" {
			replaces = -1
			for i, b := range r.solve {
				if b.Vary == spec.Vary {
					replaces = i
				}
			}
			if replaces < 0 {
				return nil, fmt.Errorf("%s:%v: case %s does not vary %s, which should give way to the limit",
					m.Engine.File, spec.Pos, r.name, spec.Vary)
			}
		}
		out = append(out, limitSides(spec, replaces, read.Get)...)
	}
	return out, nil
}

// limitSides returns one limit for a maximum and one for a minimum.
func limitSides(spec config.Limit, replaces int, read func() float64) []limit {
	var out []limit
	for _, side := range []struct {
		word  string
		bound *float64
		sign  float64
	}{{"max", spec.Max, 1}, {"min", spec.Min, -1}} {
		if side.bound != nil {
			name := spec.Path + " " + side.word + " " + unit.SI.Format(*side.bound, spec.Dim, 6)
			out = append(out, limit{name, spec, *side.bound, side.sign, replaces, read})
		}
	}
	return out
}

// limitsPassedAtDesign warns of the engine's limits that the design point passes. Limits do
// not act at the design point, because its targets fix it.
func (m *Model) limitsPassedAtDesign() ([]result.Warning, error) {
	var out []result.Warning
	for _, spec := range m.Engine.Limits {
		read, err := m.Read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.Engine.File, spec.Pos, err)
		}
		for _, l := range limitSides(spec, 0, read.Get) {
			if l.excess() > 1e-9 {
				out = append(out, result.Warning{
					Severity: rule.Warning, Rule: "limit_at_design", Case: m.Engine.DesignCase,
					Message: fmt.Sprintf(
						"the design passes the limit %s; limits hold operating points, not the design", l.name),
					Evidence: []string{spec.Path + " = " + unit.SI.Format(l.read(), spec.Dim, 6)},
				})
			}
		}
	}
	return out, nil
}
