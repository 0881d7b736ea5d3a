// The problem to integrate and the settings, with their checks.

package ode

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Problem is a system of N equations y' = f(t, y).
//
// An error from F means that the equations are not defined at that point. In a trial step it makes the step smaller. It
// ends the integration only if no step is small enough, or if it is the error of a context.
type Problem struct {
	N int

	// F sets dydt = f(t, y). It must not keep or change y.
	F func(t float64, y, dydt []float64) error
	// Jacobian sets j[i,k] = df_i/dy_k, N x N, all zero on entry. If nil, the Jacobian is computed by forward
	// differences.
	Jacobian func(t float64, y []float64, j *mat.Dense) error
	// Autonomous means that F does not depend on t; it saves rosenbrock one evaluation a step.
	Autonomous bool
}

func (p *Problem) check() error {
	if p.N < 1 {
		return inputf("a problem needs at least one equation; N is %d", p.N)
	}
	if p.F == nil {
		return inputf("a problem needs F")
	}
	return nil
}

// Settings are tolerances and limits of the steps. A field that is zero takes its default.
//
// A step is accepted if the root mean square over the unknowns of
// error_i / (ATol_i + RTol max(|y_i|, |y_i new|)) is at most 1.
type Settings struct {
	RTol float64   // relative tolerance of a step's error; default 1e-6
	ATol []float64 // absolute tolerance in the unit of y: one value, or one per unknown; default 1e-9

	FirstStep float64 // first step, s; default: from the equations
	MaxStep   float64 // largest step, s; default: none
	MinStep   float64 // smallest step, s; default: the resolution of t, 16 units in its last place
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
