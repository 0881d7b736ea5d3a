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
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
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

// Solver keeps the Jacobian from one solve to the next; a solve at a neighbouring point often needs no new Jacobian. It
// is for one goroutine.
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

// ErrStart means that the system cannot be evaluated at the starting point.
var ErrStart = errors.New("the equations cannot be evaluated at the starting point")

// Forget drops the Jacobian of earlier solves.
func (s *Solver) Forget() { s.haveJacobian, s.sign = false, 0 }

// Sign is the sign of the determinant of the last step's Jacobian, 0 before the first step after Forget. The root has
// the same sign: Newton's method with a fixed matrix B converges to a root only if all eigenvalues of B^-1 J at the
// root are within 1 of 1, so that B and J have determinants of the same sign. Along a path of roots it changes at a
// fold of the path.
func (s *Solver) Sign() int { return s.sign }

// Memory is the state that a solver keeps from one solve to the next.
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
	for _, v := range []*[]float64{&s.x, &s.xn, &s.r, &s.rn, &s.dx, &s.col, &s.xBest, &s.rBest} {
		*v = make([]float64, n)
	}
}

// Solve searches for a root from x0. The error is nil if and only if the solve converged. Otherwise it gives the
// reason, and the solution is the best iterate. F is not evaluated after the end of ctx; the error is then that of ctx.
func (s *Solver) Solve(ctx context.Context, p Problem, x0 []float64) (Solution, error) {
	sol, err := s.find(ctx, p, x0)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return sol, err
}

// search is a solve while it runs.
type search struct {
	*Solver
	ctx         context.Context
	p           *Problem
	set         Settings // with defaults
	sol         Solution
	f           float64 // sum of squares of the present iterate
	fresh       bool    // the Jacobian is that of the present iterate
	uphillSteps int
	lastFail    error // of an evaluation
}

// eval evaluates F and returns the sum of squares, infinity if F is not defined at x.
func (q *search) eval(x, r []float64) float64 {
	if err := q.ctx.Err(); err != nil {
		q.lastFail = err
		return math.Inf(1)
	}
	q.sol.Evaluations++
	if err := q.p.Eval(x, r); err != nil {
		q.lastFail = err
		return math.Inf(1)
	}
	sum := 0.0
	for _, v := range r {
		sum += v * v
	}
	if math.IsNaN(sum) {
		q.lastFail = errors.New("a residual is not a number")
		return math.Inf(1)
	}
	return sum
}

// find is Solve, whose error may also be a consequence of the end of ctx.
func (s *Solver) find(ctx context.Context, p Problem, x0 []float64) (Solution, error) {
	set := s.Settings
	set.Tolerance, set.MaxStep = cmp.Or(set.Tolerance, 1e-10), cmp.Or(set.MaxStep, 0.5)
	set.MaxIterations = cmp.Or(set.MaxIterations, 60)
	s.resize(len(x0))
	copy(s.x, x0)
	project(s.x, &p)
	q := &search{Solver: s, ctx: ctx, p: &p, set: set}
	if q.f = q.eval(s.x, s.r); math.IsInf(q.f, 1) {
		clear(s.r) // of an earlier solve
		sol := q.finish()
		sol.Unknown, sol.Converged = true, false
		return sol, fmt.Errorf("%w: %w", ErrStart, q.lastFail)
	}
	s.fBest = math.Inf(1)
	for q.sol.Iterations < set.MaxIterations && !(norm(s.r) <= set.Tolerance) {
		if set.MaxEvaluations > 0 && q.sol.Evaluations >= set.MaxEvaluations {
			s.restoreBest(q.f)
			return q.finish(), fmt.Errorf("no solution within %d evaluations", q.sol.Evaluations)
		}
		if err := q.iterate(); err != nil {
			return q.finish(), err
		}
	}
	s.restoreBest(q.f)
	out := q.finish()
	if !out.Converged {
		return out, fmt.Errorf("no solution within %d iterations", out.Iterations)
	}
	return out, nil
}

// iterate makes a step, or drops an out-of-date Jacobian that allows no step.
func (q *search) iterate() error {
	s := q.Solver
	if !s.haveJacobian {
		if err := s.differentiate(q.p, q.eval, nil); err != nil {
			return err
		}
		q.fresh = true
	}
	q.sol.Iterations++
	if !s.step() {
		if q.fresh {
			return s.singular()
		}
		s.haveJacobian = false
		return nil
	}
	limit := s.stepLimit(q.p, q.set.MaxStep)
	fNew, lambda := q.lineSearch(limit)
	if fNew >= q.f {
		return q.stuck(limit, fNew)
	}
	s.broyden()
	// Keep Broyden's matrix only while the iteration converges fast.
	s.haveJacobian = fNew < 0.1*q.f && lambda == 1
	q.accept(fNew)
	return nil
}

// accept moves to the point in xn, whose sum of squares is f.
func (q *search) accept(f float64) {
	s := q.Solver
	q.fresh, q.f = false, f
	s.x, s.xn = s.xn, s.x
	s.r, s.rn = s.rn, s.r
}

// finish returns the solution at the present iterate.
func (q *search) finish() Solution {
	s, p, sol := q.Solver, q.p, q.sol
	sol.X = append([]float64(nil), s.x...)
	sol.R = append([]float64(nil), s.r...)
	for i, v := range sol.R {
		if a := math.Abs(v); a > sol.Residual || math.IsNaN(a) {
			sol.Residual, sol.Worst = a, i
		}
	}
	sol.Converged = sol.Residual <= q.set.Tolerance && sol.Evaluations > 0
	for i, v := range sol.X {
		if v <= p.Lower[i] || v >= p.Upper[i] {
			sol.AtBound = append(sol.AtBound, i)
		}
	}
	return sol
}

func norm(r []float64) float64 {
	m := 0.0
	for _, v := range r {
		m = max(m, math.Abs(v))
	}
	return m
}
