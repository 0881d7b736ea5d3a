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

// Design solves the design: it finds the geometry that meets all targets, at the design point and `at` other cases. It
// leaves the model at the design point, ready for off-design cases.
func (m *Solver) Design(ctx context.Context) (result.SolveInfo, error) {
	if err := m.CheckTargets(components.Design, m.Engine.Design, m.Engine.Design); err != nil {
		return result.SolveInfo{}, err
	}
	atDesign, atCases := designBalances(m.Model)
	s, err := m.equations(components.Design, atDesign)
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
	if err := m.Audit(); err != nil {
		return info, &graph.SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	m.Designed = true
	return info, nil
}

// designBalances returns the targets at the design point and at other cases.
func designBalances(m *graph.Model) (atDesign, atCases []*graph.Balance) {
	for _, b := range m.Engine.Design {
		if b.At == "" || b.At == m.Engine.DesignCase {
			atDesign = append(atDesign, graph.NewBalance(b))
		} else {
			atCases = append(atCases, graph.NewBalance(b))
		}
	}
	return atDesign, atCases
}

// designPoint solves the design point alone, from the model's state. A cold start is far from a solution: if Newton's
// method does not converge from it, the second attempt starts from a closed cycle. If that fails without a better
// error, the error is that of the first attempt.
func (m *Solver) designPoint(ctx context.Context, s *equations, nw *newton.Solver,
	cold bool) (result.SolveInfo, error) {
	nw.Settings.MaxIterations = 50 // more than any that converges takes
	x0 := s.InitialX()
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
	if err := m.Statics(); err != nil {
		return info, err
	}
	if err := m.MakeMissingMaps(); err != nil {
		return info, err
	}
	// Evaluate once more, now that every component has a map: off-design cases start here.
	if err := m.Evaluate(); err != nil {
		return info, err
	}
	if err := m.Statics(); err != nil {
		return info, err
	}
	m.Margins()
	return info, nil
}

// multiPoint varies design parameters until the targets at other cases are met. Each evaluation of this outer Newton's
// method solves the design point and then those cases.
func (m *Solver) multiPoint(ctx context.Context, s *equations, atCases []*graph.Balance) (result.SolveInfo, error) {
	n := len(atCases)
	outer := &graph.System{Model: m.Model, Mode: components.Design}
	var cases []string // in the order of their first target
	for _, b := range atCases {
		if err := outer.AddBalance(b); err != nil {
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
	outer.Prepare()
	var inner, off newton.Solver
	var total result.SolveInfo
	explanations := make([]string, n)
	cold := true
	eval := func(x, r []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, u := range outer.Unknowns {
			*u.At = x[i]
		}
		info, err := m.designPoint(ctx, s, &inner, cold)
		total.Evaluations += info.Evaluations
		if err != nil {
			return err
		}
		cold = false
		design := m.Save()
		defer m.Restore(design)
		for _, name := range cases {
			m.Restore(design)
			if err := m.Settle(); err != nil {
				return err
			}
			info, err := m.withinLimits(ctx, &off, m.Resolve(m.Engine.Case(name)))
			total.Evaluations += info.Evaluations
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for i, b := range atCases {
				if b.At == name {
					r[i], explanations[i] = outer.Residuals[i].Get(), outer.Residuals[i].Explain()
				}
			}
		}
		return nil
	}
	outer.Problem.Eval = eval
	nw := newton.Solver{Settings: newton.Settings{Tolerance: 1e-8, MaxStep: 0.1}}
	sol, err := nw.Solve(ctx, outer.Problem, outer.InitialX())
	total.Iterations, total.Residual, total.Unknown = sol.Iterations, sol.Residual, sol.Unknown
	total.Worst = outer.Residuals[sol.Worst].Name
	r := make([]float64, n)
	atX := eval(sol.X, r)
	m.Context.Mode = components.Design
	evalErr := m.Evaluate()
	if evalErr == nil {
		evalErr = m.Statics()
	}
	if err != nil { // the model stays at the best iterate
		e := outer.SolveError(sol, err, atX)
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

// CheckDesign returns an error if the design cannot be turned into equations.
func CheckDesign(m *graph.Model) error {
	atDesign, _ := designBalances(m)
	_, err := m.Assemble(components.Design, atDesign)
	return errors.Join(err, m.CheckTargets(components.Design, m.Engine.Design, m.Engine.Design))
}
