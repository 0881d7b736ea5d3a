package newton

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

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

// Linearize sets the Jacobian at x. The next solve starts with it. Linearize evaluates F at x, then with one unknown
// after another changed by a step h. It calls onEvaluation after each evaluation, with j = -1 after the first. A
// *SingularError means that the equations do not determine the unknowns at x.
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

// orientation is the sign of the determinant of the factorized matrix.
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
