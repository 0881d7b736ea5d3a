package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// resolved is a case with the settings, targets and limits that it inherits.
type resolved struct {
	name   string
	set    []config.Setting
	solve  []config.Balance
	limits []config.Limit
	spent  int // evaluations that were spent on the case before
}

// resolve merges a case with those that it is `from`. Settings and limits add up. Of the solve
// lists the nearest counts, even if it is empty.
func (m *Model) resolve(c *config.Case) resolved {
	r := resolved{name: c.Name, limits: m.Engine.Limits}
	if c.From != "" {
		if parent := m.Engine.Case(c.From); parent != nil {
			p := m.resolve(parent)
			r.set, r.solve, r.limits = p.set, p.solve, p.limits
		}
	}
	r.set = lastOfEach(slices.Concat(r.set, c.Set))
	r.limits = slices.Concat(r.limits, c.Limits)
	if c.Solve != nil {
		r.solve = c.Solve
	}
	r.solve = slices.Clone(r.solve)
	return r
}

// lastOfEach drops the settings that a later one of the same parameter replaces.
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

// caseRamp is the way from a model's present state to a case. Parameters and targets go
// together, linearly, from their present values to those of the case.
type caseRamp struct {
	at         []*float64
	from, to   []float64
	balances   []*balance
	targetFrom []float64
}

// set sets parameters and targets to the fraction lambda of the way.
func (p *caseRamp) set(lambda float64) {
	for i, at := range p.at {
		*at = p.from[i] + lambda*(p.to[i]-p.from[i])
	}
	for i, b := range p.balances {
		b.target = p.targetFrom[i] + lambda*(b.Target-p.targetFrom[i])
	}
}

// aimsAt reports whether a limit is a target of the way, which may come from beyond it.
func (p *caseRamp) aimsAt(l *limit) bool {
	return slices.ContainsFunc(p.balances,
		func(b *balance) bool { return b.Until == l.spec.Path && b.Target == l.bound })
}

// OffDesign solves a case from the model's present solution and leaves the model at that of
// the case. If Newton's method does not converge in one step, the solver walks: it moves
// settings and targets in steps and solves each (continuation with step control). If the
// solution passes a limit, the limit replaces a target; see Limited.
func (m *Model) OffDesign(ctx context.Context, nw *newton.Solver, c *config.Case) (result.SolveInfo, error) {
	r := m.resolve(c)
	if err := m.heldTarget(components.OffDesign, r.solve, r.solve); err != nil {
		return result.SolveInfo{}, err
	}
	info, err := m.withinLimits(ctx, nw, r)
	if err != nil {
		return info, err
	}
	if err := m.audit(); err != nil {
		return info, &SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	return info, nil
}

// reach solves a case with the targets in r. If the solution, or a point on the way to it,
// passes a limit, reach stops and returns the limit.
func (m *Model) reach(ctx context.Context, nw *newton.Solver, r resolved,
	limits []limit) (result.SolveInfo, *limit, error) {
	s, ramp, err := m.prepareCase(r)
	if err != nil {
		return result.SolveInfo{}, nil, err
	}
	info, passed, err := m.walk(ctx, nw, s, ramp, limits, 0)
	if m.base != nil && ctx.Err() == nil {
		moved := true // by what is not held to the limits
		switch {
		case err != nil:
			passed, err = m.detour(ctx, nw, r, limits, err, &info)
		case passed == nil && len(r.solve) > 0 && m.audit() != nil:
			// not a solution that there can be; perhaps there is another
			passed, err = m.detour(ctx, nw, r, limits, &SolveError{Reason: "the solution fails the audit"}, &info)
		case passed == nil && m.suspect(s):
			err = m.confirm(ctx, nw, r, s, &info)
		default:
			moved = false
		}
		if moved && err == nil && passed == nil {
			passed = m.mostPassed(limits)
		}
	}
	if err != nil {
		if l := m.passedAtFold(r, limits, err); l != nil {
			return info, l, nil
		}
		return info, nil, err
	}
	if passed != nil {
		return info, passed, nil
	}
	m.margins()
	return info, nil, m.statics()
}

// detour reaches a case to which the direct way, from wherever the model was, does not lead: by its
// operating line, or else in small steps from the base. An error other than a
// *SolveError on the direct way is returned as it is.
func (m *Model) detour(ctx context.Context, nw *newton.Solver, r resolved, limits []limit, direct error,
	total *result.SolveInfo) (*limit, error) {
	var se *SolveError
	if !errors.As(direct, &se) {
		return nil, direct
	}
	if len(r.solve) > 0 {
		at := m.lineCase(r)
		err := m.line(at).land(ctx, m, nw, r, at, total)
		var fold *FoldError
		if err == nil || errors.As(err, &fold) || ctx.Err() != nil {
			return nil, err
		}
	}
	if err := m.toBase(nw); err != nil {
		return nil, err
	}
	s, ramp, err := m.prepareCase(r)
	if err != nil {
		return nil, err
	}
	spent := r.spent + total.Evaluations
	budget := max(1, min(mostSpent-spent, max(mostPatient-spent, leastPatient)))
	info, passed, err := m.walk(ctx, nw, s, ramp, limits, budget)
	total.Add(info)
	switch {
	case err != nil || passed != nil:
	case len(r.solve) > 0: // the line of the case was tried
		err = m.tooFast(s)
	case m.suspect(s):
		err = m.confirm(ctx, nw, r, s, total)
	}
	return passed, err
}

// prepareCase makes a case's system, and the way to it from the model's present state.
func (m *Model) prepareCase(r resolved) (*system, *caseRamp, error) {
	ramp := &caseRamp{}
	for i := range r.solve {
		read, err := m.Read(r.solve[i].Until)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%v: %w", m.Engine.File, r.solve[i].Pos, err)
		}
		ramp.balances = append(ramp.balances, &balance{r.solve[i], r.solve[i].Target})
		ramp.targetFrom = append(ramp.targetFrom, read.Get())
	}
	for _, st := range r.set {
		_, at, designOnly, err := m.Parameter(st.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%v: %w", m.Engine.File, st.Pos, err)
		}
		if designOnly {
			return nil, nil, fmt.Errorf(
				"%s:%v: case %s: %s fixes the design and has no effect off design; set it in the component",
				m.Engine.File, st.Pos, r.name, st.Path)
		}
		ramp.at, ramp.from, ramp.to = append(ramp.at, at), append(ramp.from, *at), append(ramp.to, st.Value.Num)
	}
	s, err := m.assemble(components.OffDesign, ramp.balances)
	return s, ramp, err
}

// A patient walk may take leastPatient evaluations of the engine, or what the case has left of mostPatient, but no more
// than what it has left of mostSpent, before it gives up at the next step that fails.
const mostPatient, leastPatient, mostSpent = 3000, 1500, 4500

// walk brings the system from lambda = 0, the present state, to 1. If a solution passes a
// limit that the solution before did not, walk goes back to the solution before and returns
// the limit: far beyond a limit the maps may not hold. With a base and without a budget of evaluations it gives
// up where it does not lead on at once: there is another way; see line.
func (m *Model) walk(ctx context.Context, nw *newton.Solver, s *system, ramp *caseRamp, limits []limit,
	budget int) (result.SolveInfo, *limit, error) {
	smallest, patience, most := 1.0/512, 24, math.MaxInt
	switch {
	case m.base == nil:
	case budget > 0:
		most = budget
		defer func() { nw.Settings.MaxEvaluations = 0 }()
	default:
		if smallest, patience = 1.0/4, 1; len(limits) > 0 { // which may be passed on the way
			smallest, patience = 1.0/64, 8
		}
		nw.Settings.MaxEvaluations = 14 * len(s.unknowns)
		defer func() { nw.Settings.MaxEvaluations = 0 }()
	}
	total := result.SolveInfo{}
	x := s.initialX()
	lambda, step, failures := 0.0, 1.0, 0
	insideLimits := len(limits) > 0 && m.mostPassed(limits) == nil
	for lambda < 1 {
		if err := ctx.Err(); err != nil {
			return total, nil, err
		}
		next := min(1, lambda+step)
		start := m.scaledStart(s, ramp, x, lambda, next)
		ramp.set(next)
		if budget > 0 {
			nw.Settings.MaxEvaluations = max(most-total.Evaluations, 14*len(s.unknowns))
		}
		sol, info, err := s.solve(ctx, nw, start)
		total.Add(info)
		if err == nil && m.base != nil {
			if s.strayed(start, sol.X) && step > 1.0/8 {
				nw.Forget()
				step /= 2
				total.Steps++
				continue
			}
			off, evaluations, e := m.astray(nw, s, sol.X)
			total.Evaluations += evaluations
			if e != nil {
				return total, nil, e
			}
			if off {
				err = &SolveError{Reason: "the solution is of another branch"}
			}
		}
		if err == nil {
			l := m.mostPassed(limits)
			if l != nil && !ramp.aimsAt(l) {
				if !insideLimits {
					return total, l, nil
				}
				ramp.set(lambda)
				nw.Forget()
				return total, l, s.eval(x, make([]float64, len(x)))
			}
			insideLimits = len(limits) > 0 && l == nil
			lambda, x = next, sol.X
			step *= 2
			if next < 1 || total.Steps > 0 {
				total.Steps++
			}
			continue
		}
		nw.Forget()
		var se *SolveError
		if !errors.As(err, &se) {
			return total, nil, err
		}
		total.Steps++
		failures++
		if step /= 2; step < smallest || failures == patience || total.Evaluations > most {
			se.Reason = fmt.Sprintf("%s; the walk from the last solution reached %.0f %% of the way", se.Reason,
				100*lambda)
			return total, nil, se
		}
	}
	return total, nil, nil
}

// scaledStart returns a starting point for the next step. It scales flows and speeds with the
// inlet's pressure and temperature, so that corrected flows and speeds do not change.
func (m *Model) scaledStart(s *system, ramp *caseRamp, x []float64, from, to float64) []float64 {
	out := append([]float64(nil), x...)
	if m.perf.face == nil {
		return out
	}
	face := func(lambda float64) (delta, theta float64, ok bool) {
		ramp.set(lambda)
		m.ctx.Mode = components.OffDesign
		for _, s := range m.steps {
			if err := s.eval(&m.ctx); err != nil {
				return 0, 0, false
			}
			if d := s.part.Declaration; len(d.Outlets) > 0 && d.Outlets[0].At == m.perf.face {
				break
			}
		}
		return m.perf.face.Delta(), m.perf.face.Theta(), true
	}
	for i, u := range s.unknowns {
		*u.at = x[i]
	}
	d0, t0, ok0 := face(from)
	d1, t1, ok1 := face(to)
	if !ok0 || !ok1 {
		return out
	}
	root := math.Sqrt(t1 / t0)
	for i, u := range s.unknowns {
		switch u.scaling {
		case components.AsFlow:
			out[i] *= d1 / d0 / root
		case components.AsSpeed:
			out[i] *= root
		}
	}
	return out
}
