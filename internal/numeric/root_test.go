package numeric

import (
	"errors"
	"math"
	"testing"
)

// Roots are found from anywhere, across what is not defined at the start, and within bounds.
func TestRoot(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		f          func(float64) (float64, error)
		lo, hi, x0 float64
		want       float64
		mostEvals  int
	}{
		"straight":          {f: func(x float64) (float64, error) { return 2*x - 3, nil }, lo: -inf, hi: inf, x0: 1, want: 1.5, mostEvals: 8},
		"far away":          {f: func(x float64) (float64, error) { return x/1e6 - 1, nil }, lo: 0, hi: inf, x0: 1, want: 1e6, mostEvals: 50},
		"turbine":           {f: func(x float64) (float64, error) { return 1 - 0.3/(1-math.Pow(x, -0.25)), nil }, lo: 1.0001, hi: 100, x0: 1.5, want: math.Pow(0.7, -4), mostEvals: 14},
		"not there at x0":   {f: defined(func(x float64) bool { return x < 0.8 }, func(x float64) float64 { return x*x - 0.25 }), lo: 0, hi: 10, x0: 1, want: 0.5, mostEvals: 25},
		"beyond a maximum":  {f: func(x float64) (float64, error) { return x*math.Exp(-x) - 0.3, nil }, lo: 0.5, hi: 10, x0: 3, want: 1.781337, mostEvals: 25},
		"steep":             {f: func(x float64) (float64, error) { return math.Tanh(1e4 * (x - 2)), nil }, lo: 0, hi: 10, x0: 9, want: 2, mostEvals: 80},
		"a kink, from zero": {f: func(x float64) (float64, error) { return max(x-1, 10*(x-1)), nil }, lo: 0, hi: 10, x0: 0, want: 1, mostEvals: 70},
	} {
		evals := 0
		l := Line{F: func(x float64) (float64, error) { evals++; return c.f(x) }, Lo: c.lo, Hi: c.hi, Typical: 1, Tolerance: 1e-12}
		x, err := l.Root(c.x0)
		if err != nil || math.Abs(x-c.want) > 1e-6*c.want || evals > c.mostEvals {
			t.Errorf("%s: %.10g (%v) after %d evaluations, want %.10g after %d", name, x, err, evals, c.want, c.mostEvals)
		}
	}
}

func defined(where func(float64) bool, f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if !where(x) {
			return 0, errors.New("not defined")
		}
		return f(x), nil
	}
}

// Without a root the error says what is nearest to one, and why there is none.
func TestNoRoot(t *testing.T) {
	for name, c := range map[string]struct {
		f         func(float64) (float64, error)
		x0, x, tx float64
		bound     bool
		beyond    bool
		across    bool
	}{
		"at a bound":     {f: func(x float64) (float64, error) { return 1 + x, nil }, x0: 5, x: 0, bound: true},
		"a minimum":      {f: func(x float64) (float64, error) { return 1 + (x-3)*(x-3), nil }, x0: 8, x: 3, tx: 0.05},
		"not defined":    {f: defined(func(x float64) bool { return x < 4 }, func(x float64) float64 { return x - 5 }), x0: 1, x: 4, tx: 0.05, beyond: true},
		"a gap":          {f: defined(func(x float64) bool { return x < 4 || x > 6 }, func(x float64) float64 { return x - 5 }), x0: 1, x: 4, tx: 2.1, beyond: true, across: true},
		"a jump":         {f: func(x float64) (float64, error) { return math.Copysign(1, x-5), nil }, x0: 1, x: 5, tx: 5, across: true},
		"nowhere at all": {f: defined(func(float64) bool { return false }, nil), x0: 1, x: math.NaN(), beyond: true},
	} {
		l := Line{F: c.f, Lo: 0, Hi: 10, Typical: 1, Tolerance: 1e-12}
		_, err := l.Root(c.x0)
		var no *NoRootError
		if !errors.As(err, &no) || math.Abs(no.X-c.x) > c.tx || math.IsNaN(c.x) != math.IsNaN(no.X) || no.Bound != c.bound || no.Across != c.across || (no.Beyond != nil) != c.beyond {
			t.Errorf("%s: %#v", name, err)
		}
	}
	stop := errors.Join(ErrStop, errors.New("enough"))
	l := Line{F: func(float64) (float64, error) { return 0, stop }, Hi: 1, Typical: 1}
	if _, err := l.Root(0.5); !errors.Is(err, ErrStop) {
		t.Error(err)
	}
}
