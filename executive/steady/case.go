package steady

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// confirm compares a suspect solution with the operating line. If it is not on the line, the model moves to the
// solution on the line; without such a solution confirm returns an error. If the line cannot be computed, the sign
// decides for a slow solution, and a fast solution is rejected. The same applies if the line ends before the throttle
// setting of the case: windmilling without fuel is beyond the end of the line.
func (m *Solver) confirm(ctx context.Context, nw *newton.Solver, r graph.ResolvedCase, s *equations,
	total *result.SolveInfo) error {
	at := m.lineCase(r)
	if len(at.Solve) == 0 {
		return m.tooFast(s)
	}
	l := m.line(at)
	on, err := l.holds(ctx, m, s, at)
	var fold *FoldError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && (len(r.Solve) == 0 || !errors.As(err, &fold)):
		return m.tooFast(s)
	case on:
		return nil
	case err != nil:
		return err
	}
	return l.land(ctx, m, nw, r, at, total)
}

// reach solves a case with the targets in r. If the solution, or a point on the way to it,
// passes a limit, reach stops and returns the limit. So many evaluations were spent on the case before.
func (m *Solver) reach(ctx context.Context, nw *newton.Solver, r graph.ResolvedCase,
	limits []graph.Limit, spent int) (result.SolveInfo, *graph.Limit, error) {
	s, ramp, err := m.prepareCase(r)
	if err != nil {
		return result.SolveInfo{}, nil, err
	}
	info, passed, err := m.walk(ctx, nw, s, ramp, limits, 0)
	if m.base != nil && ctx.Err() == nil {
		moved := true // by a way that ignores the limits
		switch {
		case err != nil:
			passed, err = m.detour(ctx, nw, r, limits, err, spent, &info)
		case passed == nil && len(r.Solve) > 0 && m.Audit() != nil:
			// an impossible solution; there may be another
			passed, err = m.detour(ctx, nw, r, limits, &graph.SolveError{Reason: "the solution fails the audit"},
				spent, &info)
		case passed == nil && m.suspect(s):
			err = m.confirm(ctx, nw, r, s, &info)
		default:
			moved = false
		}
		if moved && err == nil && passed == nil {
			passed = m.MostPassed(limits)
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
	m.Margins()
	return info, nil, m.Statics()
}

// detour solves a case that the direct solve from the present state does not reach: along its operating line, or else
// in small steps from the base. An error of the direct solve other than a *SolveError is returned unchanged.
func (m *Solver) detour(ctx context.Context, nw *newton.Solver, r graph.ResolvedCase, limits []graph.Limit,
	direct error, spent int, total *result.SolveInfo) (*graph.Limit, error) {
	if _, ok := errors.AsType[*graph.SolveError](direct); !ok {
		return nil, direct
	}
	if len(r.Solve) > 0 {
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
	spent += total.Evaluations
	budget := max(1, min(mostSpent-spent, max(mostPatient-spent, leastPatient)))
	info, passed, err := m.walk(ctx, nw, s, ramp, limits, budget)
	total.Add(info)
	switch {
	case err != nil || passed != nil:
	case len(r.Solve) > 0: // the line of the case was tried
		err = m.tooFast(s)
	case m.suspect(s):
		err = m.confirm(ctx, nw, r, s, total)
	}
	return passed, err
}

// passedAtFold returns the limit that is exceeded at the extreme value of a case's target. The limit comes before the
// extreme value, which then does not keep the engine from its target. It returns nil if err has no extreme value, or if
// that value is within the limits. It leaves the model at the extreme.
func (m *Solver) passedAtFold(r graph.ResolvedCase, limits []graph.Limit, err error) *graph.Limit {
	var fold *FoldError
	if len(limits) == 0 || len(r.Solve) == 0 || m.base == nil || !errors.As(err, &fold) {
		return nil
	}
	s, way, err := m.prepareCase(r)
	if err != nil {
		return nil
	}
	way.set(1)
	at := m.lineCase(r)
	x := m.line(at).end(s, at.Solve[0].Target)
	if x == nil || s.Eval(x, make([]float64, len(x))) != nil {
		return nil
	}
	l := m.MostPassed(limits)
	if l != nil && way.aimsAt(l) { // the limit is the target that has the extreme value
		return nil
	}
	return l
}
