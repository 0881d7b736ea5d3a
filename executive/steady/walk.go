package steady

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// A patient walk may take leastPatient evaluations of the engine, or the case's rest of mostPatient, but no more than
// its rest of mostSpent, before it gives up at the next failed step.
const mostPatient, leastPatient, mostSpent = 3000, 1500, 4500

// walk brings the system from lambda = 0, the present state, to 1. If a solution exceeds a limit that the previous
// solution met, walk returns to the previous solution and returns the limit: far beyond a limit the maps may be
// invalid. With a base and without a budget of evaluations it gives up at the first obstacle, because another way
// exists; see line.
func (m *Solver) walk(ctx context.Context, nw *newton.Solver, s *equations, ramp *caseRamp, limits []graph.Limit,
	budget int) (result.SolveInfo, *graph.Limit, error) {
	smallest, patience, most := 1.0/512, 24, math.MaxInt
	switch {
	case m.base == nil:
	case budget > 0:
		most = budget
		defer func() { nw.Settings.MaxEvaluations = 0 }()
	default:
		if smallest, patience = 1.0/4, 1; len(limits) > 0 { // limits may be exceeded on the way
			smallest, patience = 1.0/64, 8
		}
		nw.Settings.MaxEvaluations = 14 * len(s.Unknowns)
		defer func() { nw.Settings.MaxEvaluations = 0 }()
	}
	total := result.SolveInfo{}
	x := s.InitialX()
	lambda, step, failures := 0.0, 1.0, 0
	insideLimits := len(limits) > 0 && m.MostPassed(limits) == nil
	for lambda < 1 {
		if err := ctx.Err(); err != nil {
			return total, nil, err
		}
		next := min(1, lambda+step)
		start := m.scaledStart(s, ramp, x, lambda, next)
		ramp.set(next)
		if budget > 0 {
			nw.Settings.MaxEvaluations = max(most-total.Evaluations, 14*len(s.Unknowns))
		}
		sol, info, err := s.Solve(ctx, nw, start)
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
				err = &graph.SolveError{Reason: "the solution is of another branch"}
			}
		}
		if err == nil {
			l := m.MostPassed(limits)
			if l != nil && !ramp.aimsAt(l) {
				if !insideLimits {
					return total, l, nil
				}
				ramp.set(lambda)
				nw.Forget()
				return total, l, s.Eval(x, make([]float64, len(x)))
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
		var se *graph.SolveError
		if !errors.As(err, &se) {
			return total, nil, err
		}
		total.Steps++
		failures++
		if step /= 2; step < smallest || failures == patience || total.Evaluations > most {
			se.Reason = fmt.Sprintf("%s; continuation from the last solution reached %.0f %% of the step", se.Reason,
				100*lambda)
			return total, nil, se
		}
	}
	return total, nil, nil
}

// scaledStart returns a starting point for the next step. It scales flows and speeds with the
// inlet's pressure and temperature, so that corrected flows and speeds do not change.
func (m *Solver) scaledStart(s *equations, ramp *caseRamp, x []float64, from, to float64) []float64 {
	out := append([]float64(nil), x...)
	if m.Perf.Face == nil {
		return out
	}
	face := func(lambda float64) (delta, theta float64, ok bool) {
		ramp.set(lambda)
		if !m.EvaluateToFace() {
			return 0, 0, false
		}
		return m.Perf.Face.Delta(), m.Perf.Face.Theta(), true
	}
	for i, u := range s.Unknowns {
		*u.At = x[i]
	}
	d0, t0, ok0 := face(from)
	d1, t1, ok1 := face(to)
	if !ok0 || !ok1 {
		return out
	}
	root := math.Sqrt(t1 / t0)
	for i, u := range s.Unknowns {
		switch u.Scaling {
		case components.AsFlow:
			out[i] *= d1 / d0 / root
		case components.AsSpeed:
			out[i] *= root
		}
	}
	return out
}
