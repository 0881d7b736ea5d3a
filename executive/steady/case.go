package steady

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
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

// lineCase converts a case to a point of its operating line, on which the throttle brings the first target to its
// value. A governor's case is inverted for that: its load is given, and the throttle holds a shaft's speed. Along the
// operating line of such an engine the load changes, at the held speed:
//
//	given P, throttle until N = N_0   becomes   throttle until P = P_given, P until N = N_0
//
// The solution is the same, but one line serves all loads. A case without targets holds the throttle; it is the point
// of the line with that throttle value.
func (m *Solver) lineCase(r graph.ResolvedCase) graph.ResolvedCase {
	if len(r.Solve) == 0 {
		return m.heldThrottle(r)
	}
	throttle := r.Solve[0]
	if !m.isSpeed(throttle.Until) {
		return r
	}
	i := slices.IndexFunc(r.Set, func(s config.Setting) bool { return m.isLoad(s.Path, throttle.Until) })
	if i < 0 {
		return r
	}
	load := r.Set[i]
	held := config.Balance{Vary: load.Path, Until: throttle.Until, Target: throttle.Target, Pos: throttle.Pos}
	throttle.Until, throttle.Target = load.Path, load.Value.Num
	r.Set = slices.Delete(slices.Clone(r.Set), i, i+1)
	r.Solve = append([]config.Balance{throttle, held}, r.Solve[1:]...)
	return r
}

// heldThrottle converts a case without targets to a point of the line along which the fuel-air ratio of its first
// burner changes. Without a burner whose ratio can change, it returns the case unchanged.
func (m *Solver) heldThrottle(r graph.ResolvedCase) graph.ResolvedCase {
	for _, p := range m.Parts {
		far := p.Number("FAR")
		if far == nil || far.DesignOnly || p.Declaration.Fuel == nil {
			continue
		}
		path := p.Name + ".FAR"
		r.Set = slices.DeleteFunc(slices.Clone(r.Set), func(s config.Setting) bool { return s.Path == path })
		r.Solve = []config.Balance{{Vary: path, Until: path, Target: *far.At}}
		break
	}
	return r
}

// isSpeed reports whether a path is a shaft's speed that a solve finds.
func (m *Solver) isSpeed(path string) bool {
	_, at, _, err := m.Parameter(path)
	if err != nil {
		return false
	}
	for _, p := range m.Parts {
		for _, u := range p.Declaration.Unknowns {
			if u.At == at && u.Scaling == components.AsSpeed {
				return true
			}
		}
	}
	return false
}

// isLoad reports whether a path is the power by which a component balances the shaft of a speed.
func (m *Solver) isLoad(path, speed string) bool {
	p, at, _, err := m.Parameter(path)
	if err != nil || p == nil {
		return false
	}
	b, ok := p.Component.(components.ShaftBalancer)
	if !ok {
		return false
	}
	u, _ := b.BalancedByShaft()
	shaft, _, _ := strings.Cut(strings.TrimPrefix(speed, "shafts."), ".")
	return u.At == at && m.OnShaft(m.Index[shaft], p)
}
