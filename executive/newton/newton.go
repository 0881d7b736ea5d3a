// Package newton solves small dense systems of nonlinear equations, such as an
// engine's: F(x) = 0 with bounds on x, where an evaluation may fail.
//
// The method is Newton's:
//   - The Jacobian comes from finite differences. Between two evaluations,
//     Broyden's rank-one formula updates it (Math. Comp. 19, 1965).
//   - A backtracking line search reduces the sum of squares (Dennis and Schnabel,
//     Numerical Methods for Unconstrained Optimization and Nonlinear Equations,
//     SIAM 1996, algorithm A6.3.1).
//   - Iterates are projected onto the bounds.
package newton

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Problem is a system of n equations in n unknowns.
type Problem struct {
	// Eval sets r = F(x). An error means that F is not defined at x.
	Eval func(x, r []float64) error
	// Lower and Upper bound x. Typical is the magnitude of each unknown; it scales the
	// finite-difference steps and limits Newton's steps.
	Lower, Upper, Typical []float64
}

// Settings of a solve. A field that is zero takes its default.
type Settings struct {
	Tolerance     float64 // largest |F_i| that counts as zero; default 1e-10
	MaxIterations int     // default 60
	// MaxEvaluations is how many evaluations of F a solve may take; default: no limit.
	MaxEvaluations int
	MaxStep        float64 // largest relative change of an unknown in one step; default 0.5
}

// Solution is the result of a solve. If the solve failed, X is the best iterate.
type Solution struct {
	X, R        []float64
	Converged   bool
	Iterations  int
	Evaluations int
	Unknown     bool    // F cannot be evaluated at the start, so that R, Residual and Worst are zero
	Residual    float64 // largest |F_i|
	Worst       int     // index of that residual
	AtBound     []int   // unknowns that lie on a bound
}

// Solver keeps the Jacobian from one solve to the next, so that a solve at a
// neighbouring point often needs no new one. It is for one goroutine.
type Solver struct {
	Settings Settings

	n            int
	jac          *mat.Dense
	factors      blas64.General // of jac, by rows, with their pivots
	pivots       []int
	haveJacobian bool // jac is of some earlier iterate
	sign         int  // of the determinant of the last matrix that was factorized; 0: none was
	x, xn, r, rn []float64
	dx           []float64
	col          []float64
	fBest        float64 // of the best iterate that a jump left
	xBest, rBest []float64
}

// SingularError reports a singular Jacobian: Newton's equations have no unique solution.
type SingularError struct {
	Unknown  int // index of an unknown that changes no residual; -1: none
	Residual int // index of a residual that no unknown changes; -1: none
}

func (e *SingularError) Error() string {
	switch {
	case e.Residual >= 0:
		return fmt.Sprintf("no unknown changes residual %d", e.Residual)
	case e.Unknown >= 0:
		return fmt.Sprintf("unknown %d changes no residual", e.Unknown)
	}
	return "the Jacobian is singular: two unknowns have the same effect on all residuals"
}

// singular returns a SingularError with the first zero row and column of the Jacobian.
func (s *Solver) singular() error {
	e := &SingularError{Unknown: -1, Residual: -1}
	for i := range s.n {
		row, col := 0.0, 0.0
		for j := range s.n {
			row = max(row, math.Abs(s.jac.At(i, j)))
			col = max(col, math.Abs(s.jac.At(j, i)))
		}
		if row == 0 && e.Residual < 0 {
			e.Residual = i
		}
		if col == 0 && e.Unknown < 0 {
			e.Unknown = i
		}
	}
	return e
}

// ErrStart means that the system cannot be evaluated at the starting point.
var ErrStart = errors.New("the equations cannot be evaluated at the starting point")

// Forget drops the Jacobian of earlier solves.
func (s *Solver) Forget() { s.haveJacobian, s.sign = false, 0 }

// Sign is the sign of the determinant of the Jacobian with which the last step was
// made, 0 if no step was made since Forget. That is the sign at the root, too, as Newton's
// method with a fixed matrix B converges to a root only if all eigenvalues of B^-1 J there
// are within 1 of 1, so that B and J have determinants of the same sign. Along a path of
// roots it changes where the path folds back.
func (s *Solver) Sign() int { return s.sign }

// Memory is what a solver keeps from one solve to the next.
type Memory struct {
	N            int
	HaveJacobian bool
	Jacobian     []float64 // N x N by rows; nil if it is not known
}

// Save returns the solver's memory.
func (s *Solver) Save() Memory {
	m := Memory{N: s.n, HaveJacobian: s.haveJacobian}
	if s.haveJacobian {
		m.Jacobian = append(m.Jacobian, s.jac.RawMatrix().Data...)
	}
	return m
}

// Restore sets the solver's memory. The next solve then gives the same bits as it would
// have given after Save. Restore reports false if the sizes in m do not agree.
func (s *Solver) Restore(m Memory) bool {
	if m.N < 0 || m.HaveJacobian && len(m.Jacobian) != m.N*m.N {
		return false
	}
	s.haveJacobian = false
	if m.N > 0 {
		s.resize(m.N)
	}
	if m.HaveJacobian {
		copy(s.jac.RawMatrix().Data, m.Jacobian)
		s.haveJacobian = true
	}
	return true
}

func (s *Solver) resize(n int) {
	if s.n == n {
		return
	}
	*s = Solver{Settings: s.Settings, n: n}
	s.jac = mat.NewDense(n, n, nil)
	s.factors, s.pivots = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}, make([]int, n)
	s.dx = make([]float64, n)
	s.xBest, s.rBest = make([]float64, n), make([]float64, n)
	s.x, s.xn, s.r, s.rn, s.col = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64,
		n), make([]float64, n)
}

// Solve searches for a root from x0. The error is nil if and only if the solve
// converged. Otherwise it gives the reason, and the solution is the best iterate. F is
// not evaluated any more once ctx has ended: then the error is that of ctx.
func (s *Solver) Solve(ctx context.Context, p Problem, x0 []float64) (Solution, error) {
	sol, err := s.search(ctx, p, x0)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return sol, err
}

// search is Solve, whose error may also be what came of the end of ctx.
func (s *Solver) search(ctx context.Context, p Problem, x0 []float64) (Solution, error) {
	set := s.Settings
	if set.Tolerance == 0 {
		set.Tolerance = 1e-10
	}
	if set.MaxIterations == 0 {
		set.MaxIterations = 60
	}
	if set.MaxStep == 0 {
		set.MaxStep = 0.5
	}
	n := len(x0)
	s.resize(n)
	copy(s.x, x0)
	project(s.x, &p)
	sol := Solution{}
	var lastFail error
	eval := func(x, r []float64) float64 {
		if err := ctx.Err(); err != nil {
			lastFail = err
			return math.Inf(1)
		}
		sol.Evaluations++
		if err := p.Eval(x, r); err != nil {
			lastFail = err
			return math.Inf(1)
		}
		sum := 0.0
		for _, v := range r {
			sum += v * v
		}
		if math.IsNaN(sum) {
			lastFail = errors.New("a residual is not a number")
			return math.Inf(1)
		}
		return sum
	}
	f := eval(s.x, s.r)
	if math.IsInf(f, 1) {
		clear(s.r) // of an earlier solve
		sol = s.finish(sol, &p, set)
		sol.Unknown, sol.Converged = true, false
		return sol, fmt.Errorf("%w: %w", ErrStart, lastFail)
	}
	fresh := false
	uphillSteps := 0
	s.fBest = math.Inf(1)
	for sol.Iterations < set.MaxIterations {
		if norm(s.r) <= set.Tolerance {
			break
		}
		if set.MaxEvaluations > 0 && sol.Evaluations >= set.MaxEvaluations {
			s.restoreBest(f)
			return s.finish(sol, &p, set), fmt.Errorf("%d evaluations were not enough", sol.Evaluations)
		}
		if !s.haveJacobian {
			if err := s.differentiate(&p, eval, nil); err != nil {
				return s.finish(sol, &p, set), err
			}
			fresh = true
		}
		sol.Iterations++
		if !s.step() {
			if !fresh {
				s.haveJacobian = false
				continue
			}
			return s.finish(sol, &p, set), s.singular()
		}
		limit := s.stepLimit(&p, set.MaxStep)
		fNew, lambda := s.lineSearch(&p, eval, f, limit)
		if math.IsInf(fNew, 1) || fNew >= f {
			if !fresh { // an out-of-date Jacobian may give an uphill direction
				s.haveJacobian, fresh = false, false
				continue
			}
			fUphill := s.uphillStep(&p, eval, limit, &uphillSteps)
			if math.IsInf(fUphill, 1) {
				s.restoreBest(f)
				if lastFail != nil && math.IsInf(fNew, 1) {
					return s.finish(sol, &p, set), fmt.Errorf("no step along Newton's direction can be evaluated: %w",
						lastFail)
				}
				return s.finish(sol, &p, set), errors.New("no step along Newton's direction brings the residuals down")
			}
			s.saveBest(f)
			s.haveJacobian, fresh, f = false, false, fUphill
			s.x, s.xn = s.xn, s.x
			s.r, s.rn = s.rn, s.r
			continue
		}
		s.broyden()
		// Keep Broyden's matrix only while the iteration converges fast.
		s.haveJacobian = fNew < 0.1*f && lambda == 1
		fresh = false
		f = fNew
		s.x, s.xn = s.xn, s.x
		s.r, s.rn = s.rn, s.r
	}
	s.restoreBest(f)
	out := s.finish(sol, &p, set)
	if !out.Converged {
		return out, fmt.Errorf("%d iterations were not enough", out.Iterations)
	}
	return out, nil
}

// maxUphillSteps is how many steps of one solve may increase the residuals.
const maxUphillSteps = 6

// uphillStep takes Newton's full step although the residuals grow; it does so at most
// maxUphillSteps times in a solve. Linearly interpolated maps have kinks, where a line
// search can get stuck: the slope on one side of a kink does not hold on the other. The
// full step crosses the kink (the watchdog technique of Chamberlain et al.,
// Mathematical Programming Study 16, 1982).
func (s *Solver) uphillStep(p *Problem, eval func(x, r []float64) float64, limit float64, taken *int) float64 {
	if *taken == maxUphillSteps {
		return math.Inf(1)
	}
	*taken++
	for i := range s.n {
		s.xn[i] = s.x[i] + limit*s.dx[i]
	}
	project(s.xn, p)
	return eval(s.xn, s.rn)
}

// saveBest keeps the present iterate, of sum of squares f, if it is the best so far.
func (s *Solver) saveBest(f float64) {
	if f < s.fBest {
		s.fBest = f
		copy(s.xBest, s.x)
		copy(s.rBest, s.r)
	}
}

// restoreBest goes back to the best iterate if the present one, of sum of squares f, is worse.
func (s *Solver) restoreBest(f float64) {
	if s.fBest < f {
		copy(s.x, s.xBest)
		copy(s.r, s.rBest)
	}
}

// differentiate sets the Jacobian by one-sided differences. They go backwards where a
// forward step leaves the bounds or cannot be evaluated. If onEvaluation is not nil, it
// is called after the evaluation for each unknown j, with its step h.
func (s *Solver) differentiate(p *Problem, eval func(x, r []float64) float64,
	onEvaluation func(j int, h float64)) error {
	for j := range s.n {
		h := 1e-7 * max(math.Abs(s.x[j]), p.Typical[j])
		copy(s.xn, s.x)
		ok := false
		for _, h := range [...]float64{h, -h, h * 1e-2, -h * 1e-2} {
			s.xn[j] = s.x[j] + h
			if s.xn[j] < p.Lower[j] || s.xn[j] > p.Upper[j] {
				continue
			}
			h = s.xn[j] - s.x[j]
			if f := eval(s.xn, s.rn); math.IsInf(f, 1) {
				continue
			}
			for i := range s.n {
				s.jac.Set(i, j, (s.rn[i]-s.r[i])/h)
			}
			if onEvaluation != nil {
				onEvaluation(j, h)
			}
			ok = true
			break
		}
		if !ok {
			return fmt.Errorf("the equations cannot be evaluated on either side of unknown %d", j)
		}
	}
	s.haveJacobian = true
	return nil
}

// Linearize sets the Jacobian at x. The next solve starts with it. Linearize evaluates F
// at x, then with one unknown after the other changed by a step h. It calls onEvaluation
// after each evaluation, with j = -1 after the first. A *SingularError means that the
// equations do not determine the unknowns at x.
func (s *Solver) Linearize(p Problem, x []float64, onEvaluation func(j int, h float64)) error {
	s.resize(len(x))
	copy(s.x, x)
	if err := p.Eval(s.x, s.r); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	onEvaluation(-1, 0)
	eval := func(x, r []float64) float64 {
		if p.Eval(x, r) != nil || math.IsNaN(norm(r)) {
			return math.Inf(1)
		}
		return 0
	}
	if err := s.differentiate(&p, eval, onEvaluation); err != nil {
		return err
	}
	clear(s.r)
	if !s.step() {
		s.haveJacobian = false
		return s.singular()
	}
	return nil
}

// Respond returns the change of the unknowns that cancels a change r of the residuals, to
// first order: J dx = -r. Call it after Linearize. The next call overwrites the result.
func (s *Solver) Respond(r []float64) []float64 {
	copy(s.r, r)
	s.backSubstitute()
	return s.dx
}

// step factorizes J and solves J dx = -r. It reports false if J is singular.
func (s *Solver) step() bool {
	copy(s.factors.Data, s.jac.RawMatrix().Data)
	if !lapack64.Getrf(s.factors, s.pivots) {
		s.sign = 0
		return false
	}
	s.sign = s.orientation()
	return s.backSubstitute()
}

// orientation is the sign of the determinant of what was factorized.
func (s *Solver) orientation() int {
	sign := 1
	for i := range s.n {
		if s.factors.Data[i*s.n+i] < 0 {
			sign = -sign
		}
		if s.pivots[i] != i {
			sign = -sign
		}
	}
	return sign
}

// backSubstitute solves J dx = -r with the factors of the last step.
func (s *Solver) backSubstitute() bool {
	for i, v := range s.r {
		s.dx[i] = -v
	}
	lapack64.Getrs(blas.NoTrans, s.factors, blas64.General{Rows: s.n, Cols: 1, Stride: 1, Data: s.dx}, s.pivots)
	for i := range s.n {
		if v := s.dx[i]; !numeric.Finite(v) {
			return false
		}
	}
	return true
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

// lineSearch shortens the step, from the fraction limit on, until the sum of squares
// falls. It leaves the accepted point in xn, rn.
func (s *Solver) lineSearch(p *Problem, eval func(x, r []float64) float64, f, limit float64) (fNew, lambda float64) {
	lambda = limit
	for range 25 {
		for i := range s.n {
			s.xn[i] = s.x[i] + lambda*s.dx[i]
		}
		project(s.xn, p)
		fNew = eval(s.xn, s.rn)
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

// broyden adds (r_new - r - J dx) dx^T / dx.dx for the step taken.
func (s *Solver) broyden() {
	dd := 0.0
	for i := range s.n {
		s.col[i] = s.xn[i] - s.x[i]
		// Unknowns have different units: each is scaled by its magnitude.
		dd += s.col[i] * s.col[i] / s.weight(i)
	}
	if dd == 0 {
		return
	}
	for i := range s.n {
		jd := 0.0
		for j := range s.n {
			jd += s.jac.At(i, j) * s.col[j]
		}
		e := (s.rn[i] - s.r[i] - jd) / dd
		for j := range s.n {
			s.jac.Set(i, j, s.jac.At(i, j)+e*s.col[j]/s.weight(j))
		}
	}
}

func (s *Solver) weight(i int) float64 {
	w := max(math.Abs(s.x[i]), 1e-3)
	return w * w
}

func (s *Solver) finish(sol Solution, p *Problem, set Settings) Solution {
	sol.X = append([]float64(nil), s.x...)
	sol.R = append([]float64(nil), s.r...)
	for i, v := range sol.R {
		if a := math.Abs(v); a > sol.Residual || math.IsNaN(a) {
			sol.Residual, sol.Worst = a, i
		}
	}
	sol.Converged = sol.Residual <= set.Tolerance && sol.Evaluations > 0
	for i, v := range sol.X {
		if v <= p.Lower[i] || v >= p.Upper[i] {
			sol.AtBound = append(sol.AtBound, i)
		}
	}
	return sol
}

func project(x []float64, p *Problem) {
	for i := range x {
		x[i] = max(p.Lower[i], min(p.Upper[i], x[i]))
	}
}

func norm(r []float64) float64 {
	m := 0.0
	for _, v := range r {
		m = max(m, math.Abs(v))
	}
	return m
}
