package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Design solves the design: it finds the geometry with which all targets are met, those at
// the design point and those `at` other cases. It leaves the model at the design point,
// ready for off-design cases.
func (m *Model) Design(ctx context.Context) (result.SolveInfo, error) {
	if err := m.heldTarget(components.Design, m.Engine.Design, m.Engine.Design); err != nil {
		return result.SolveInfo{}, err
	}
	atDesign, atCases := m.designBalances()
	s, err := m.assemble(components.Design, atDesign)
	if err != nil {
		return result.SolveInfo{}, err
	}
	var info result.SolveInfo
	if len(atCases) == 0 {
		info, err = m.designPoint(ctx, s, &newton.Solver{}, true)
	} else {
		info, err = m.multiPoint(ctx, s, atCases)
	}
	if err != nil {
		return info, fmt.Errorf("%s: %w", m.Engine.DesignCase, err)
	}
	if err := m.audit(); err != nil {
		return info, &SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	m.designed = true
	return info, nil
}

// designBalances returns the targets at the design point and those at other cases.
func (m *Model) designBalances() (atDesign, atCases []*balance) {
	for _, b := range m.Engine.Design {
		if b.At == "" || b.At == m.Engine.DesignCase {
			atDesign = append(atDesign, &balance{b, b.Target})
		} else {
			atCases = append(atCases, &balance{b, b.Target})
		}
	}
	return atDesign, atCases
}

// designPoint solves the design point alone, from where the model is. A cold start is not near
// a solution: where Newton's method does not get to one from there, it is given a cycle that closes.
// The error is that of the first attempt where the second knows no better.
func (m *Model) designPoint(ctx context.Context, s *system, nw *newton.Solver, cold bool) (result.SolveInfo, error) {
	nw.Settings.MaxIterations = 50 // more than any that converges takes
	x0 := s.initialX()
	info, err := s.begin(ctx, nw, x0, cold)
	if cold && ctx.Err() == nil {
		err = s.leaner(ctx, nw, x0, &info, err)
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return info, err
	}
	if err := m.statics(); err != nil {
		return info, err
	}
	if err := m.makeMissingMaps(); err != nil {
		return info, err
	}
	// Evaluate once more, now that every component has a map: off-design cases start here.
	if err := m.evaluate(); err != nil {
		return info, err
	}
	if err := m.statics(); err != nil {
		return info, err
	}
	m.margins()
	return info, nil
}

// begin solves the design point from x0.
func (s *system) begin(ctx context.Context, nw *newton.Solver, x0 []float64, cold bool) (result.SolveInfo, error) {
	_, info, err := s.solve(ctx, nw, x0)
	if err == nil || !cold || ctx.Err() != nil {
		return info, err
	}
	s.put(x0)
	closed, errClosed := s.closed(ctx, nw)
	closed.Evaluations += info.Evaluations
	if !errors.Is(errClosed, numeric.ErrStop) {
		err = errClosed
	}
	return closed, err
}

// multiPoint varies design parameters until the targets at other cases are met. Each
// evaluation of this outer Newton's method solves the design point and then those cases.
func (m *Model) multiPoint(ctx context.Context, s *system, atCases []*balance) (result.SolveInfo, error) {
	n := len(atCases)
	outer := &system{m: m, mode: components.Design}
	var cases []string // in the order of their first target
	for _, b := range atCases {
		if err := outer.balance(b); err != nil {
			return result.SolveInfo{}, err
		}
		listed := false
		for _, c := range cases {
			listed = listed || c == b.At
		}
		if !listed {
			cases = append(cases, b.At)
		}
	}
	outer.prepare()
	var inner, off newton.Solver
	var total result.SolveInfo
	explanations := make([]string, n)
	cold := true
	eval := func(x, r []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, u := range outer.unknowns {
			*u.at = x[i]
		}
		info, err := m.designPoint(ctx, s, &inner, cold)
		total.Evaluations += info.Evaluations
		if err != nil {
			return err
		}
		cold = false
		design := m.save()
		defer m.Restore(design)
		for _, name := range cases {
			m.Restore(design)
			if err := m.Settle(); err != nil {
				return err
			}
			info, err := m.withinLimits(ctx, &off, m.resolve(m.Engine.Case(name)))
			total.Evaluations += info.Evaluations
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for i, b := range atCases {
				if b.At == name {
					r[i], explanations[i] = outer.residuals[i].get(), outer.residuals[i].explain()
				}
			}
		}
		return nil
	}
	outer.problem.Eval = eval
	nw := newton.Solver{Settings: newton.Settings{Tolerance: 1e-8, MaxStep: 0.1}}
	sol, err := nw.Solve(ctx, outer.problem, outer.initialX())
	total.Iterations, total.Residual, total.Unknown = sol.Iterations, sol.Residual, sol.Unknown
	total.Worst = outer.residuals[sol.Worst].name
	r := make([]float64, n)
	atX := eval(sol.X, r)
	m.ctx.Mode = components.Design
	evalErr := m.evaluate()
	if evalErr == nil {
		evalErr = m.statics()
	}
	if err != nil { // the model stays at the best iterate
		e := outer.solveError(sol, err, atX)
		if e.Worst != "" {
			e.Worst, e.Explanation = atCases[sol.Worst].At+": "+e.Worst, explanations[sol.Worst]
		}
		return total, e
	}
	if atX != nil {
		return total, atX
	}
	total.Residual = 0
	for _, v := range r {
		total.Residual = max(total.Residual, math.Abs(v))
	}
	return total, evalErr
}
