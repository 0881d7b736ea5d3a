package steady

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// OffDesign solves a case from the model's present solution and leaves the model at the case's solution. If Newton's
// method does not converge in one step, the solver walks: it changes settings and targets in steps and solves each
// (continuation with step control). If the solution exceeds a limit, the limit replaces a target; see Limited.
func (m *Solver) OffDesign(ctx context.Context, nw *newton.Solver, c *config.Case) (result.SolveInfo, error) {
	r := m.Resolve(c)
	if err := m.CheckTargets(components.OffDesign, r.Solve, r.Solve); err != nil {
		return result.SolveInfo{}, err
	}
	info, err := m.withinLimits(ctx, nw, r)
	if err != nil {
		return info, err
	}
	if err := m.Audit(); err != nil {
		return info, &graph.SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	return info, nil
}

// CheckCase returns an error if a steady case cannot be turned into equations.
func CheckCase(model *graph.Model, c *config.Case) error {
	m := New(model)
	r := m.Resolve(c)
	if err := m.CheckTargets(components.OffDesign, r.Solve, r.Solve); err != nil {
		return err
	}
	_, _, err := m.prepareCase(r)
	return err
}

// withinLimits solves a case so that all its limits hold. It is an active-set method. An active limit replaces the
// target of one varied parameter (by default the first of the solve list: the throttle). Each parameter has at most one
// active limit; limits are exchanged until all hold. Limits are checked on the way to the case too, so that the solver
// does not walk to a target far beyond a limit. The active limits are listed in m.Limited.
func (m *Solver) withinLimits(ctx context.Context, nw *newton.Solver, r graph.ResolvedCase) (result.SolveInfo, error) {
	m.Limited, m.Missed = nil, nil
	limits, err := m.Limits(r)
	if err != nil {
		return result.SolveInfo{}, err
	}
	if len(limits) == 0 {
		info, _, err := m.reach(ctx, nw, r, nil, 0)
		return info, err
	}
	targets := slices.Clone(r.Solve)
	active := map[int]graph.Limit{} // by index of the target
	var total result.SolveInfo
	limitedOnWay := false // a limit became active, perhaps before the case's settings were reached
	exchanged := false    // for the limit that binds at the case's settings
	taken := map[string]int{}
	// how often a limit may become active, if that is cheap: it may be replaced by another limit and be active in the
	// end
	const most = 3
	for {
		spent := total.Evaluations
		info, passed, err := m.reach(ctx, nw, r, limits, spent)
		total.Add(info)
		if err != nil {
			return total, err
		}
		if passed != nil {
			limitedOnWay = true
			taken[passed.Name]++
			if n := taken[passed.Name]; n > most || n > 1 && total.Evaluations > leastPatient {
				return total, &graph.SolveError{
					Reason: "the limits contradict each other: no operating point is within all of them",
				}
			}
			active[passed.Replaces] = *passed
			r.Solve[passed.Replaces] = passed.AsTarget(r.Solve[passed.Replaces])
			continue
		}
		if limitedOnWay && len(active) > 0 {
			limitedOnWay = false
			info, other, done, err := m.retryTargets(ctx, nw, r, targets, limits, spent)
			switch {
			case done:
				total.Add(info)
				return total, err
			// a limit behind those of the way
			case other != nil && !exchanged && active[other.Replaces].Name != other.Name:
				exchanged = true
				total.Add(info)
				clear(active)
				active[other.Replaces] = *other
				r.Solve = slices.Clone(targets)
				r.Solve[other.Replaces] = other.AsTarget(r.Solve[other.Replaces])
				continue
			}
		}
		for _, l := range limits {
			if b, ok := active[l.Replaces]; ok && b.Name == l.Name {
				m.Limited = append(m.Limited, l.Name)
			}
		}
		m.Missed = m.missedTargets(targets, active)
		return total, nil
	}
}

// missedTargets compares the targets replaced by limits with the solution's values.
func (m *Solver) missedTargets(targets []config.Balance, active map[int]graph.Limit) []string {
	var out []string
	for _, i := range slices.Sorted(maps.Keys(active)) {
		path, want := targets[i].Until, targets[i].Target
		read, err := m.Read(path)
		if err != nil { // prepareCase refuses such a target
			continue
		}
		u := unit.As(targets[i].Unit, m.Dimension(path))
		out = append(out, fmt.Sprintf("%s is %s; the target is %s", path, u.Format(read.Get(), 6), u.Format(want, 6)))
	}
	return out
}

// retryTargets solves the case once more with its first targets. A limit that was exceeded on the way to the case need
// not bind at its end. It returns false, and restores the model, if the targets are not found or still exceed a limit,
// which it returns. The error reports a target beyond its extreme value, if that value is within the limits.
func (m *Solver) retryTargets(ctx context.Context, nw *newton.Solver, r graph.ResolvedCase, targets []config.Balance,
	limits []graph.Limit, spent int) (info result.SolveInfo, passed *graph.Limit, done bool, err error) {
	here := m.Save()
	r.Solve = targets
	info, passed, err = m.reach(ctx, nw, r, limits, spent)
	var fold *FoldError
	if err == nil && passed == nil || errors.As(err, &fold) {
		return info, nil, true, err
	}
	m.Restore(here)
	nw.Forget()
	_ = m.Settle() // it was a solution
	return info, passed, false, nil
}
