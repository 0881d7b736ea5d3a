package newton

import (
	"errors"
	"fmt"
	"math"
)

// lineSearch shortens the step, from the fraction limit on, until the sum of squares
// falls. It leaves the accepted point in xn, rn.
func (q *search) lineSearch(limit float64) (fNew, lambda float64) {
	s, f := q.Solver, q.f
	lambda = limit
	for range 25 {
		for i := range s.n {
			s.xn[i] = s.x[i] + lambda*s.dx[i]
		}
		project(s.xn, q.p)
		fNew = q.eval(s.xn, s.rn)
		if fNew <= f*(1-2e-4*lambda) {
			return fNew, lambda
		}
		if math.IsInf(fNew, 1) {
			lambda *= 0.25
			continue
		}
		// The minimum of the parabola through f, its slope -2f and fNew.
		next := lambda * lambda * f / (fNew - f + 2*lambda*f)
		lambda = max(0.1*lambda, min(0.5*lambda, next))
	}
	return fNew, lambda
}

// stepLimit is the largest fraction of the step that changes no unknown by more than
// maxStep of its magnitude.
func (s *Solver) stepLimit(p *Problem, maxStep float64) float64 {
	limit := 1.0
	for i := range s.n {
		allowed := maxStep * max(math.Abs(s.x[i]), p.Typical[i])
		if d := math.Abs(s.dx[i]); d*limit > allowed {
			limit = allowed / d
		}
	}
	return limit
}

func project(x []float64, p *Problem) {
	for i := range x {
		x[i] = max(p.Lower[i], min(p.Upper[i], x[i]))
	}
}

// stuck continues from an iterate at which no step along the direction reduces the residuals; fNew is the sum of
// squares of the last attempt. An out-of-date Jacobian may give an uphill direction and is recomputed. With a fresh
// Jacobian, Newton's full step is taken although the residuals grow, at most maxUphillSteps times in a solve. Linearly
// interpolated maps have kinks, where a line search can get stuck: the slope on one side of a kink does not hold on the
// other. The full step crosses the kink (the watchdog technique of Chamberlain et al., Mathematical Programming Study
// 16, 1982).
func (q *search) stuck(limit, fNew float64) error {
	s := q.Solver
	if !q.fresh {
		s.haveJacobian = false
		return nil
	}
	fUphill := math.Inf(1)
	if q.uphillSteps < maxUphillSteps {
		q.uphillSteps++
		for i := range s.n {
			s.xn[i] = s.x[i] + limit*s.dx[i]
		}
		project(s.xn, q.p)
		fUphill = q.eval(s.xn, s.rn)
	}
	switch {
	case !math.IsInf(fUphill, 1):
		s.saveBest(q.f)
		s.haveJacobian = false
		q.accept(fUphill)
		return nil
	case q.lastFail != nil && math.IsInf(fNew, 1):
		s.restoreBest(q.f)
		return fmt.Errorf("no step along Newton's direction can be evaluated: %w", q.lastFail)
	}
	s.restoreBest(q.f)
	return errors.New("no step along Newton's direction brings the residuals down")
}

// maxUphillSteps is the largest number of steps in one solve that may increase the residuals.
const maxUphillSteps = 6

// saveBest keeps the present iterate, of sum of squares f, if it is the best so far.
func (s *Solver) saveBest(f float64) {
	if f < s.fBest {
		s.fBest = f
		copy(s.xBest, s.x)
		copy(s.rBest, s.r)
	}
}

// restoreBest returns to the best iterate if the present one, of sum of squares f, is worse.
func (s *Solver) restoreBest(f float64) {
	if s.fBest < f {
		copy(s.x, s.xBest)
		copy(s.r, s.rBest)
	}
}
