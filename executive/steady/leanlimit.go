package steady

// Beyond the stoichiometric fuel-air ratio more fuel cools the gas, so that two fuel flows give the same temperature or
// thrust. The start of a solve decides between them. The answer is the lean solution, if it exists.

import (
	"context"
	"math"

	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// leanStart is the fuel-air ratio of a lean start, as a fraction of the stoichiometric ratio.
const leanStart = 0.3

// leaner looks for a leaner design if the design found from x0, or the start itself, is rich. It returns the error of
// the final design.
func (s *equations) leaner(ctx context.Context, nw *newton.Solver, x0 []float64, info *result.SolveInfo,
	err error) error {
	burners := s.fuelled()
	if len(burners) == 0 || err == nil && !s.rich() {
		return err
	}
	most := stoichiometric(s.Model)
	lean, sum := append([]float64(nil), x0...), 0.0
	for _, i := range burners {
		sum += x0[i]
		lean[i] = max(s.Problem.Lower[i], min(s.Problem.Upper[i], leanStart*most/float64(len(burners))))
	}
	if err != nil && sum < most {
		return err
	}
	found := s.InitialX()
	s.Put(lean)
	nw.Forget()
	other, errLean := s.begin(ctx, nw, lean, true)
	other.Evaluations += info.Evaluations
	if errLean == nil && (err != nil || !s.rich()) {
		*info = other
		return nil
	}
	nw.Forget()
	_, back, errBack := s.Solve(ctx, nw, found)
	info.Evaluations = other.Evaluations + back.Evaluations
	if err == nil {
		err = errBack
	}
	return err
}

// fuelled are the unknowns that are fuel-air ratios of burners.
func (s *equations) fuelled() (list []int) {
	for i, u := range s.Unknowns {
		for _, p := range s.Model.Parts {
			if n := p.Number("FAR"); n != nil && n.At == u.At && p.Declaration.Fuel != nil {
				list = append(list, i)
			}
		}
	}
	return list
}

// rich reports whether a burner gives a gas with more fuel than its oxygen can burn.
func (s *equations) rich() bool {
	for _, p := range s.Model.Parts {
		if p.Declaration.Fuel != nil && p.Declaration.Outlets[0].At.Comp.FAR > stoichiometric(s.Model) {
			return true
		}
	}
	return false
}

// stoichiometric is the fuel-air ratio that uses up the oxygen, infinite for a gas that does not burn.
func stoichiometric(m *graph.Model) float64 {
	if g, ok := m.Context.Gas.(interface{ StoichiometricFAR() float64 }); ok {
		return g.StoichiometricFAR()
	}
	return math.Inf(1)
}
