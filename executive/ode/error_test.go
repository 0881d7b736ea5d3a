package ode

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func until(s Stepper, to float64) error {
	for s.T() < to {
		if err := s.Step(to); err != nil {
			return err
		}
	}
	return nil
}

// TestEquationsFail checks that equations which fail beyond t = 5 end the run there, with the
// state of the last good step and the user's error.
func TestEquationsFail(t *testing.T) {
	bad := errors.New("beyond the map")
	for _, how := range []string{"error", "NaN"} {
		p := Problem{N: 1, F: func(t float64, y, f []float64) error {
			f[0] = -y[0]
			if t > 5 {
				if how == "NaN" {
					f[0] = math.NaN()
					return nil
				}
				return bad
			}
			return nil
		}}
		for _, m := range Methods() {
			s := start(t, m.Name, p, Settings{}, 0, []float64{1})
			err := until(s, 10)
			var e *EvalError
			if !errors.As(err, &e) || how == "error" && !errors.Is(err, bad) || math.Abs(e.T-5) > 1e-6 {
				t.Errorf("%s, %s: %v", m.Name, how, err)
			}
			if s.T() > 5 || s.T() < 5-1e-3 || math.Abs(s.Y()[0]-math.Exp(-s.T())) > 1e-4 {
				t.Errorf("%s, %s: the state is y = %v at t = %v", m.Name, how, s.Y(), s.T())
			}
		}
	}
}

// TestEquationsRecover checks that a trial step into a region where the equations are not
// defined only shortens the step: y' = -sqrt(y) fails for y < 0 and ends at y = (1 - t/2)^2.
func TestEquationsRecover(t *testing.T) {
	p := Problem{N: 1, F: func(_ float64, y, f []float64) error {
		if y[0] < 0 {
			return errors.New("negative")
		}
		f[0] = -math.Sqrt(y[0])
		return nil
	}}
	for _, m := range Methods() {
		s := start(t, m.Name, p, Settings{FirstStep: 8}, 0, []float64{1})
		if err := until(s, 1.9); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if math.Abs(s.Y()[0]-0.0025) > 1e-5 || s.Stats().Failed+s.Stats().Rejected == 0 {
			t.Errorf("%s: y is %v, %+v", m.Name, s.Y()[0], s.Stats())
		}
	}
}

// TestCanceledEquations checks that a context's error ends the run at once.
func TestCanceledEquations(t *testing.T) {
	calls, after := 0, 0
	p := Problem{N: 1, F: func(_ float64, y, f []float64) error {
		calls++
		f[0] = -y[0]
		if calls > 20 {
			after++
			return context.Canceled
		}
		return nil
	}}
	for _, m := range Methods() {
		calls, after = 0, 0
		s := start(t, m.Name, p, Settings{}, 0, []float64{1})
		if err := until(s, 1e9); !errors.Is(err, context.Canceled) || after != 1 {
			t.Errorf("%s: %v after %d more evaluations", m.Name, err, after-1)
		}
	}
}

// TestBlowUp checks that y' = y^2, which ends at t = 1, ends there: the step vanishes, or y overflows first.
func TestBlowUp(t *testing.T) {
	p := Problem{N: 1, F: func(_ float64, y, f []float64) error { f[0] = y[0] * y[0]; return nil }}
	for _, m := range Methods() {
		if m.Name == "modified-euler" {
			continue // takes too many steps to the end
		}
		s := start(t, m.Name, p, Settings{}, 0, []float64{1})
		err := until(s, 2)
		var small *StepSizeError
		var over *EvalError
		if !errors.As(err, &small) && !errors.As(err, &over) || math.Abs(s.T()-1) > 1e-3 {
			t.Errorf("%s: at t = %v: %v", m.Name, s.T(), err)
		}
	}
}

// TestHopelessTolerance checks tolerances that no arithmetic can meet.
func TestHopelessTolerance(t *testing.T) {
	b := brusselator()
	for _, m := range Methods() {
		s := start(t, m.Name, b.Problem, Settings{RTol: 1e-17, ATol: []float64{0}}, 0, b.y0)
		var e *StepSizeError
		if err := until(s, 20); !errors.As(err, &e) || !errors.Is(err, ErrPrecision) || e.T != 0 {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	noise := 0.0 // a derivative with noise of 1e-3
	p := Problem{N: 1, F: func(_ float64, y, f []float64) error {
		noise = math.Mod(noise*97.3+0.377, 1)
		f[0] = -y[0] + 1e-3*noise
		return nil
	}}
	for _, m := range Methods() {
		s := start(t, m.Name, p, Settings{RTol: 1e-12, ATol: []float64{1e-12}, MinStep: 1e-6}, 0, []float64{1})
		var e *StepSizeError
		if err := until(s, 1); !errors.As(err, &e) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// TestTooManySteps checks the limit of steps, and that Restart grants new ones.
func TestTooManySteps(t *testing.T) {
	b := brusselator()
	for _, m := range Methods() {
		s := start(t, m.Name, b.Problem, Settings{MaxSteps: 10}, 0, b.y0)
		var e *StepsError
		if err := until(s, 20); !errors.As(err, &e) || e.Tried != 10 || e.T != s.T() || e.Towards != 20 {
			t.Errorf("%s: %v", m.Name, err)
		}
		must.OK(t, s.Restart())
		if err := s.Step(20); err != nil {
			t.Errorf("%s: after Restart: %v", m.Name, err)
		}
	}
}

// TestBadInput checks invalid problems, settings and calls, and the messages.
func TestBadInput(t *testing.T) {
	f := func(_ float64, y, f []float64) error { copy(f, y); return nil }
	one := []float64{1}
	for _, c := range []struct {
		method string
		p      Problem
		s      Settings
		t      float64
		y      []float64
		want   string
	}{
		{
			"euler", Problem{N: 1, F: f}, Settings{}, 0, one,
			`there is no method "euler"; the methods are modified-euler, rk4`,
		},
		{"rk4", Problem{F: f}, Settings{}, 0, nil, "N is 0"},
		{"rk4", Problem{N: 1}, Settings{}, 0, one, "needs F"},
		{"rk4", Problem{N: 1, F: f}, Settings{}, 0, []float64{1, 2}, "y has 2 values; the problem has 1"},
		{"rk4", Problem{N: 1, F: f}, Settings{}, 0, []float64{math.Inf(1)}, "y[0] is +Inf"},
		{"rk4", Problem{N: 1, F: f}, Settings{}, math.NaN(), one, "t is NaN"},
		{"rk4", Problem{N: 1, F: f}, Settings{RTol: -1}, 0, one, "RTol is -1"},
		{"rk4", Problem{N: 1, F: f}, Settings{ATol: []float64{1, 1}}, 0, one, "ATol has 2 values"},
		{"rk4", Problem{N: 1, F: f}, Settings{ATol: []float64{-1}}, 0, one, "ATol[0] is -1"},
		{"rk4", Problem{N: 1, F: f}, Settings{Step: -0.1}, 0, one, "Step is -0.1 s"},
		{"rk4", Problem{N: 1, F: f}, Settings{FirstStep: math.NaN()}, 0, one, "FirstStep is NaN s"},
		{"rk4", Problem{N: 1, F: f}, Settings{MaxStep: 1, MinStep: 2}, 0, one, "at least MinStep"},
		{"gear", Problem{N: 1, F: f}, Settings{MaxOrder: 6}, 0, one, "gear has orders 1 to 5; MaxOrder is 6"},
		{"adams", Problem{N: 1, F: f}, Settings{MaxOrder: 13}, 0, one, "adams has orders 1 to 12; MaxOrder is 13"},
	} {
		_, err := New(c.method, c.p, c.s, c.t, c.y)
		if _, ok := errors.AsType[*InputError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v; want %q", err, c.want)
		}
	}
	for _, m := range Methods() {
		s := start(t, m.Name, fall, Settings{}, 1, []float64{1, 0})
		for _, limit := range []float64{0.5, math.NaN(), math.Inf(1)} {
			var e *InputError
			if err := s.Step(limit); !errors.As(err, &e) || !strings.Contains(err.Error(), "at t = 1 s") {
				t.Errorf("%s: a step to %v: %v", m.Name, limit, err)
			}
			d := Driver{Stepper: s}
			if _, err := d.Advance(context.Background(), limit); !errors.As(err, &e) {
				t.Errorf("%s: an advance to %v: %v", m.Name, limit, err)
			}
		}
	}
}

// TestMessages holds the wording of the errors that end an integration.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&EvalError{"rk4", 2.5, errors.New("hpc: Nc 1.23 is beyond the map")},
			"rk4: the equations cannot be evaluated at t = 2.5 s: hpc: Nc 1.23 is beyond the map"},
		{&StepSizeError{"rk4", 2.5, 1e-15, 7, 3, nil},
			"rk4: at t = 2.5 s a step of 1e-15 s still misses the tolerance, 7 times, most in y[3]; is the solution " +
				"singular or f discontinuous there? raise the tolerance or place an event"},
		{&StepSizeError{"rk4", 2.5, 0.1, math.Inf(1), 3, ErrPrecision},
			"rk4: at t = 2.5 s the tolerance is below the rounding error of y[3]; raise RTol or ATol"},
		{&StepSizeError{"gear", 2.5, 1e-15, 0, -1, ErrNewton},
			"gear: at t = 2.5 s a step of 1e-15 s still fails: the Newton iteration does not converge; is the " +
				"problem well posed there?"},
		{&StepsError{"rk4", 2.5, 0.001, 500, 10},
			"rk4: 500 steps were tried and t is 2.5 s, short of 10 s, with a step of 0.001 s; raise MaxSteps or the " +
				"tolerance, or use a method for stiff problems"},
		{&SingularError{"gear", 2.5, 0.1},
			"gear: at t = 2.5 s the matrix of a step of 0.1 s is singular"},
	} {
		must.Equal(t, c.want, c.err.Error())
	}
}

// TestEdgeOfDefinition starts the implicit methods where a forward difference leaves the region in
// which the equations are defined: they take a backward one.
func TestEdgeOfDefinition(t *testing.T) {
	p := Problem{N: 1, F: func(_ float64, y, f []float64) error {
		if y[0] > 1 {
			return errors.New("above 1")
		}
		f[0] = -100 * y[0]
		return nil
	}}
	for _, m := range []string{"gear", "rosenbrock"} {
		s := start(t, m, p, Settings{}, 0, []float64{1})
		must.OK(t, until(s, 0.1))
		must.Within(t, m+": y", s.Y()[0], math.Exp(-10), 1e-6)
	}
}

// TestZeroStays checks that an unknown that is zero and stays so needs no absolute tolerance.
func TestZeroStays(t *testing.T) {
	p := Problem{N: 2, F: func(_ float64, y, f []float64) error { f[0], f[1] = -y[0], -y[1]; return nil }}
	for _, m := range Methods() {
		s := start(t, m.Name, p, Settings{RTol: 1e-7, ATol: []float64{0}}, 0, []float64{1, 0})
		must.OK(t, until(s, 1))
		if math.Abs(s.Y()[0]-math.Exp(-1)) > 1e-5 || s.Y()[1] != 0 {
			t.Errorf("%s: y is %v", m.Name, s.Y())
		}
	}
}
