// The problem to integrate and the settings, with their checks.

package ode

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Problem is a system of N equations. Either F or Residual is set.
//
// An error from F or Residual means that the equations are not defined at that point. In a
// trial step it makes the step smaller. It ends the integration only if no step is small
// enough, or if it is the error of a context.
type Problem struct {
	N int

	// F sets dydt = f(t, y). It must not keep or change y.
	F func(t float64, y, dydt []float64) error
	// Jacobian sets j[i,k] = df_i/dy_k, N x N, all zero when it is called. If nil, it
	// is taken by forward differences.
	Jacobian func(t float64, y []float64, j *mat.Dense) error
	// Mass is the diagonal of M in M y' = f(t, y); nil is the identity. A zero makes
	// its equation algebraic, 0 = f_i(t, y).
	Mass []float64
	// Typical is the magnitude of each unknown. The smallest increment of forward differences
	// is Typical times the root of the machine precision; if nil, it is ATol.
	Typical []float64
	// Autonomous means that F does not depend on t; it saves rosenbrock one evaluation a step.
	Autonomous bool

	// Residual sets r = F(t, y, y').
	Residual func(t float64, y, yp, r []float64) error
	// ResidualJacobian sets fy[i,k] = dF_i/dy_k and fyp[i,k] = dF_i/dy'_k, both all
	// zero when it is called. If nil, they are taken by forward differences.
	ResidualJacobian func(t float64, y, yp []float64, fy, fyp *mat.Dense) error
	// Algebraic marks the unknowns whose derivative does not occur in Residual; nil: none.
	Algebraic []bool
}

// algebraic reports whether the derivative of unknown i does not occur in the equations.
func (p *Problem) algebraic(i int) bool {
	if p.Residual != nil {
		return p.Algebraic != nil && p.Algebraic[i]
	}
	return p.Mass != nil && p.Mass[i] == 0
}

// dae reports whether any unknown is algebraic.
func (p *Problem) dae() bool {
	for i := range p.N {
		if p.algebraic(i) {
			return true
		}
	}
	return false
}

func (p *Problem) check() error {
	if p.N < 1 {
		return inputf("a problem needs at least one equation; N is %d", p.N)
	}
	if (p.F == nil) == (p.Residual == nil) {
		return inputf("a problem needs either F or Residual")
	}
	if p.Mass != nil && len(p.Mass) != p.N {
		return inputf("Mass has %d values; N is %d", len(p.Mass), p.N)
	}
	if p.Mass != nil && p.Residual != nil {
		return inputf("Mass belongs to F; with Residual it has no meaning")
	}
	if p.Algebraic != nil && (p.Residual == nil || len(p.Algebraic) != p.N) {
		return inputf("Algebraic belongs to Residual and has N = %d values; it has %d", p.N, len(p.Algebraic))
	}
	if p.Typical != nil && len(p.Typical) != p.N {
		return inputf("Typical has %d values; N is %d", len(p.Typical), p.N)
	}
	for i, v := range p.Typical {
		if !(v > 0) || math.IsInf(v, 0) {
			return inputf("Typical[%d] is %v; it must be positive", i, v)
		}
	}
	if i := notFinite(p.Mass); i >= 0 {
		return inputf("Mass[%d] is %v", i, p.Mass[i])
	}
	return nil
}

// explicit returns an error if an explicit method cannot take the problem.
func (p *Problem) explicit(method string) error {
	if p.Residual != nil {
		return inputf("%s needs y' = f(t, y); F(t, y, y') = 0 needs gear", method)
	}
	for i, m := range p.Mass {
		if m == 0 {
			return inputf("%s cannot solve algebraic equations, and Mass[%d] is 0; use gear or rosenbrock", method, i)
		}
	}
	return nil
}

// Settings are tolerances and limits of the steps. A field that is zero takes its default.
//
// A step is accepted if the root mean square over the unknowns of
// error_i / (ATol_i + RTol max(|y_i|, |y_i new|)) is at most 1.
type Settings struct {
	RTol float64   // relative tolerance of a step's error; default 1e-6
	ATol []float64 // absolute tolerance in the unit of y: one for all, or one each; default 1e-9

	FirstStep float64 // first step, s; default: from the equations
	MaxStep   float64 // largest step, s; default: none
	MinStep   float64 // smallest step, s; default: what t can resolve, 16 units in its last place
	MaxSteps  int     // most steps tried since the last start (New, Reset or Restart); default 1,000,000
	MaxOrder  int     // adams: 1 to 12, default 12; gear: 1 to 5, default 5

	// Step, if positive, is a constant step, s; only the last step before a limit is shorter.
	// The error is then not checked. The order of adams (by default at most 4 then) and of
	// gear rises by one each step.
	Step float64
}

func (s *Settings) check(n int) error {
	if s.RTol == 0 {
		s.RTol = 1e-6
	}
	if len(s.ATol) == 0 {
		s.ATol = []float64{1e-9}
	}
	if s.MaxSteps == 0 {
		s.MaxSteps = 1_000_000
	}
	if s.MaxStep == 0 {
		s.MaxStep = math.Inf(1)
	}
	if !(s.RTol > 0 && s.RTol < 1) {
		return inputf("RTol is %v; it must be above 0 and below 1", s.RTol)
	}
	if len(s.ATol) != 1 && len(s.ATol) != n {
		return inputf("ATol has %d values; it must have one, or %d", len(s.ATol), n)
	}
	for i, a := range s.ATol {
		if !(a >= 0) || math.IsInf(a, 0) {
			return inputf("ATol[%d] is %v; it must be finite and not negative", i, a)
		}
	}
	for _, q := range []struct {
		name string
		v    float64
	}{{"FirstStep", s.FirstStep}, {"MinStep", s.MinStep}, {"Step", s.Step}} {
		if !(q.v >= 0) || math.IsInf(q.v, 0) {
			return inputf("%s is %v s; it must be finite and positive, or 0 for the default", q.name, q.v)
		}
	}
	if !(s.MaxStep > 0) || s.MaxStep < s.MinStep {
		return inputf("MaxStep is %v s; it must be positive and at least MinStep, %v s", s.MaxStep, s.MinStep)
	}
	if s.MaxSteps < 0 || s.MaxOrder < 0 {
		return inputf("MaxSteps is %d and MaxOrder %d; neither may be negative", s.MaxSteps, s.MaxOrder)
	}
	return nil
}

func notFinite(v []float64) int {
	sum := 0.0
	for _, x := range v {
		sum += x * 0
	}
	if sum == 0 {
		return -1
	}
	for i, x := range v {
		if !numeric.Finite(x) {
			return i
		}
	}
	return -1
}

func inputf(format string, a ...any) error { return &InputError{fmt.Sprintf(format, a...)} }
