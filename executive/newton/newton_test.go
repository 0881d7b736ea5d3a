package newton

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func free(n int) Problem {
	p := Problem{Lower: make([]float64, n), Upper: make([]float64, n), Typical: make([]float64, n)}
	for i := range n {
		p.Lower[i], p.Upper[i], p.Typical[i] = math.Inf(-1), math.Inf(1), 1
	}
	return p
}

// Systems of Moré, Garbow and Hillstrom, ACM TOMS 7 (1981), with their standard
// starting points and roots.
func TestKnownSystems(t *testing.T) {
	for _, c := range []struct {
		name     string
		eval     func(x, r []float64) error
		x0, root []float64
	}{
		{"Rosenbrock", func(x, r []float64) error {
			r[0], r[1] = 10*(x[1]-x[0]*x[0]), 1-x[0]
			return nil
		}, []float64{-1.2, 1}, []float64{1, 1}},
		{"helical valley", func(x, r []float64) error {
			theta := math.Atan2(x[1], x[0]) / (2 * math.Pi)
			r[0], r[1], r[2] = 10*(x[2]-10*theta), 10*(math.Hypot(x[0], x[1])-1), x[2]
			return nil
		}, []float64{-1, 0.01, 0}, []float64{1, 0, 0}},
		{"trigonometric-exponential", func(x, r []float64) error {
			r[0], r[1] = math.Exp(x[0])-math.Cos(x[1]), x[0]+math.Sin(x[1])-0.5*x[0]*x[1]
			return nil
		}, []float64{0.5, 0.4}, []float64{0, 0}},
		{"logarithm: undefined for x <= 0", func(x, r []float64) error {
			if x[0] <= 0 {
				return errors.New("logarithm of a negative number")
			}
			r[0] = math.Log(x[0])
			return nil
		}, []float64{20}, []float64{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := free(len(c.x0))
			p.Eval = c.eval
			var s Solver
			s.Settings.MaxIterations = 200
			sol, err := s.Solve(t.Context(), p, c.x0)
			if err != nil {
				t.Fatalf("%v (residual %g at %v)", err, sol.Residual, sol.X)
			}
			for i := range c.root {
				if math.Abs(sol.X[i]-c.root[i]) > 1e-5 { // the trigonometric one has a double root
					t.Errorf("x = %v, want %v", sol.X, c.root)
				}
			}
		})
	}
}

func TestBoundIsReported(t *testing.T) {
	p := free(1)
	p.Upper[0] = 2
	p.Eval = func(x, r []float64) error { r[0] = x[0] - 3; return nil }
	var s Solver
	sol, err := s.Solve(t.Context(), p, []float64{1})
	if err == nil || sol.Converged {
		t.Fatal("a root beyond the bound was found")
	}
	if sol.X[0] != 2 || len(sol.AtBound) != 1 {
		t.Errorf("x = %v, at bound %v; want the bound 2", sol.X, sol.AtBound)
	}
}

func TestStartThatCannotBeEvaluated(t *testing.T) {
	p := free(1)
	p.Eval = func(x, r []float64) error { return errors.New("no flow") }
	var s Solver
	sol, err := s.Solve(t.Context(), p, []float64{1})
	if !errors.Is(err, ErrStart) || !strings.Contains(err.Error(), "no flow") {
		t.Errorf("got %v", err)
	}
	if sol.Converged || !sol.Unknown {
		t.Errorf("what was not evaluated has a residual: %+v", sol)
	}
	// Nor has it that of another problem.
	other := p
	other.Eval = func(x, r []float64) error { r[0] = x[0]*x[0] + 1; return nil }
	if sol, err := s.Solve(t.Context(), other, []float64{1}); err == nil || sol.Unknown || sol.Residual == 0 {
		t.Fatalf("%+v, %v", sol, err)
	}
	if sol, _ := s.Solve(t.Context(), p, []float64{1}); sol.Residual != 0 || sol.Converged || !sol.Unknown {
		t.Errorf("the residual is that of an earlier solve: %+v", sol)
	}
}

// A neighbouring problem is solved with the Jacobian of the last one.
func TestJacobianIsReused(t *testing.T) {
	// The discrete boundary value problem of Moré, Garbow and Hillstrom (28).
	const n = 12
	shift := 1.0
	p := free(n)
	p.Eval = func(x, r []float64) error {
		h := 1.0 / (n + 1)
		for i := range n {
			left, right := 0.0, 0.0
			if i > 0 {
				left = x[i-1]
			}
			if i < n-1 {
				right = x[i+1]
			}
			t := float64(i+1) * h
			r[i] = 2*x[i] - left - right + h*h*math.Pow(x[i]+t+shift, 3)/2
		}
		return nil
	}
	var s Solver
	first := must.Value(s.Solve(t.Context(), p, make([]float64, n)))(t)
	shift = 1.01
	second := must.Value(s.Solve(t.Context(), p, first.X))(t)
	var cold Solver
	withoutJacobian := must.Value(cold.Solve(t.Context(), p, first.X))(t)
	if second.Evaluations >= withoutJacobian.Evaluations {
		t.Errorf("%d evaluations with the old Jacobian, %d without", second.Evaluations, withoutJacobian.Evaluations)
	}
}

// A kink stops a line search; the solver gets over it.
func TestKink(t *testing.T) {
	p := free(2)
	p.Eval = func(x, r []float64) error {
		// Piecewise linear, as a linearly interpolated map: the slope changes tenfold.
		y := x[0]
		if y > 1 {
			y = 1 + 10*(x[0]-1)
		}
		r[0] = y - 5 + 3*(x[1]-1)
		r[1] = x[1] - math.Min(x[0], 1)*0.5 - 0.3
		return nil
	}
	var s Solver
	sol, err := s.Solve(t.Context(), p, []float64{0.1, 0.1})
	if err != nil {
		t.Fatalf("%v at %v", err, sol.X)
	}
	r := make([]float64, 2)
	if p.Eval(sol.X, r); math.Abs(r[0])+math.Abs(r[1]) > 1e-9 {
		t.Errorf("residuals %v", r)
	}
}

// A solve whose context ends stops evaluating at once, in any state, and reports the reason.
func TestSolveIsInterrupted(t *testing.T) {
	const n = 6
	p := free(n)
	for last := 1; ; last++ { // the evaluation in which the context ends
		ctx, cancel := context.WithCancel(t.Context())
		evaluations := 0
		p.Eval = func(x, r []float64) error {
			if evaluations++; evaluations == last {
				cancel()
			}
			for i := range x {
				r[i] = math.Exp(x[i]) + x[(i+1)%n] - 3
			}
			return nil
		}
		var s Solver
		sol, err := s.Solve(ctx, p, make([]float64, n))
		cancel()
		if err == nil {
			if last < 3*n {
				t.Errorf("only %d evaluations", evaluations)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || sol.Converged || evaluations != last {
			t.Errorf("interrupted in evaluation %d: %d evaluations, %v", last, evaluations, err)
		}
	}
}
