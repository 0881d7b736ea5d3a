package model

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Design solves the design: geometry follows from operation, so that all targets
// are met, those at the design point and those `at` other cases. The model is
// left at the design point, ready for off-design cases.
func (m *Model) Design() (result.SolveInfo, error) {
	here, elsewhere := m.designBalances()
	s, err := m.assemble(components.Design, here)
	if err != nil {
		return result.SolveInfo{}, err
	}
	var info result.SolveInfo
	if len(elsewhere) == 0 {
		info, err = m.designPoint(s, &newton.Solver{})
	} else {
		info, err = m.multiPoint(s, elsewhere)
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
func (m *Model) designBalances() (here, elsewhere []*balance) {
	for _, b := range m.Engine.Design {
		if b.At == "" || b.At == m.Engine.DesignCase {
			here = append(here, &balance{b, b.Target})
		} else {
			elsewhere = append(elsewhere, &balance{b, b.Target})
		}
	}
	return here, elsewhere
}

// designPoint solves the design point alone.
func (m *Model) designPoint(s *system, nw *newton.Solver) (result.SolveInfo, error) {
	nw.Settings.MaxIterations = 200
	_, info, err := s.solve(nw, s.start())
	if err != nil {
		return info, err
	}
	if err := m.statics(); err != nil {
		return info, err
	}
	if err := m.makeMissingMaps(); err != nil {
		return info, err
	}
	// Once more with all maps there, so that what off-design starts from is complete.
	if err := m.evaluate(); err != nil {
		return info, err
	}
	if err := m.statics(); err != nil {
		return info, err
	}
	m.margins()
	return info, nil
}

// multiPoint varies design parameters until targets in other cases are met:
// Newton's method around the design point and those cases, each solved in turn.
func (m *Model) multiPoint(s *system, elsewhere []*balance) (result.SolveInfo, error) {
	n := len(elsewhere)
	outer := &system{m: m, mode: components.Design}
	var cases []string // in the order of their first target
	for _, b := range elsewhere {
		if err := outer.balance(b); err != nil {
			return result.SolveInfo{}, err
		}
		known := false
		for _, c := range cases {
			known = known || c == b.At
		}
		if !known {
			cases = append(cases, b.At)
		}
	}
	outer.prepare()
	var inner, off newton.Solver
	var total result.SolveInfo
	told := make([]string, n)
	eval := func(x, r []float64) error {
		for i, u := range outer.unknowns {
			*u.at = x[i]
		}
		info, err := m.designPoint(s, &inner)
		total.Evaluations += info.Evaluations
		if err != nil {
			return err
		}
		design := m.save()
		defer m.Restore(design)
		for _, name := range cases {
			m.Restore(design)
			if err := m.Settle(); err != nil {
				return err
			}
			info, err := m.withinLimits(context.Background(), &off, m.resolve(m.Engine.Case(name)))
			total.Evaluations += info.Evaluations
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for i, b := range elsewhere {
				if b.At == name {
					r[i], told[i] = outer.residuals[i].get(), outer.residuals[i].tell()
				}
			}
		}
		return nil
	}
	outer.problem.Eval = eval
	nw := newton.Solver{Settings: newton.Settings{Tolerance: 1e-8, MaxStep: 0.1}}
	sol, err := nw.Solve(outer.problem, outer.start())
	total.Iterations, total.Residual = sol.Iterations, sol.Residual
	total.Worst = outer.residuals[sol.Worst].name
	r := make([]float64, n)
	atX := eval(sol.X, r)
	m.ctx.Mode = components.Design
	again := m.evaluate()
	if again == nil {
		again = m.statics()
	}
	if err != nil { // the model is left at the design that came nearest
		e := outer.failure(sol, err, atX)
		if e.Worst != "" {
			e.Worst, e.Told = elsewhere[sol.Worst].At+": "+e.Worst, told[sol.Worst]
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
	return total, again
}
