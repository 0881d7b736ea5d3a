package numeric

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// axis draws n rising values.
func axis(t *rapid.T, n int) []float64 {
	x := make([]float64, n)
	at := rapid.Float64Range(-5, 5).Draw(t, "start")
	for i := range x {
		x[i] = at
		at += rapid.Float64Range(0.01, 3).Draw(t, "step")
	}
	return x
}

func TestLocateFindsTheInterval(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		x := axis(t, rapid.IntRange(2, 9).Draw(t, "n"))
		v := rapid.Float64Range(x[0], Last(x)).Draw(t, "v")
		if i := Locate(x, v); v < x[i] || v > x[i+1] {
			t.Fatalf("%g is not between %g and %g", v, x[i], x[i+1])
		}
		if i := Locate(x, x[0]-1); i != 0 {
			t.Fatalf("below the axis: %d", i)
		}
		if i := Locate(x, Last(x)+1); i != len(x)-2 {
			t.Fatalf("above the axis: %d", i)
		}
		if i := Locate(x, x[len(x)-2]); i != len(x)-2 {
			t.Fatalf("at the last node but one: %d", i)
		}
	})
}

// The cubic passes through the nodes, stays between its neighbours, is straight
// where they are, and keeps its end values outside the axis.
func TestSteffenIsMonotone(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		x := axis(t, rapid.IntRange(2, 8).Draw(t, "n"))
		y, line, d := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
		for i := range y {
			y[i], line[i] = rapid.Float64Range(-10, 10).Draw(t, "y"), 3*x[i]-1
		}
		u := rapid.Float64Range(x[0], Last(x)).Draw(t, "u")
		i := Locate(x, u)
		Steffen(x, y, d)
		if v := Cubic(x, y, d, u); v < min(y[i], y[i+1])-1e-12 || v > max(y[i], y[i+1])+1e-12 {
			t.Fatalf("%g at %g is not between %g and %g", v, u, y[i], y[i+1])
		}
		for i := range x {
			if v := Cubic(x, y, d, x[i]); math.Abs(v-y[i]) > 1e-12 {
				t.Fatalf("%g at node %d, want %g", v, i, y[i])
			}
		}
		if v := Cubic(x, y, d, Last(x)+1); v != Cubic(x, y, d, Last(x)) {
			t.Fatalf("beyond the axis %g", v)
		}
		Steffen(x, line, d)
		if v := Cubic(x, line, d, u); math.Abs(v-(3*u-1)) > 1e-11 {
			t.Fatalf("a straight line gives %g at %g", v, u)
		}
	})
}

func TestBisectFindsTheRoot(t *testing.T) {
	cube := func(x float64) float64 { return x*x*x - 2 }
	if v := Bisect(cube, 0, 2); math.Abs(v-math.Cbrt(2)) > 1e-15 {
		t.Errorf("%.17g, want %.17g", v, math.Cbrt(2))
	}
	if v := Bisect(cube, 2, 3); v != 2 {
		t.Errorf("without a root %g, want the nearer end", v)
	}
}

func TestRampKeepsShortDecimals(t *testing.T) {
	if v := Ramp(0, 1, 10); !slices.Equal(v, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}) {
		t.Error(v)
	}
}

func TestTextReadsBack(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		if got, err := strconv.ParseFloat(Text(v), 64); err != nil || got != v {
			t.Fatalf("%g became %g (%v)", v, got, err)
		}
	})
	must.Equal(t, "[0, 0.5, 1e+21]", List([]float64{0, 0.5, 1e21}))
}

// Roots are found from anywhere, across what is not defined at the start, and within bounds.
func TestRoot(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		f          func(float64) (float64, error)
		lo, hi, x0 float64
		want       float64
		mostEvals  int
	}{
		"straight": {f: func(x float64) (float64, error) { return 2*x - 3, nil }, lo: -inf, hi: inf, x0: 1,
			want: 1.5, mostEvals: 8},
		"far away": {f: func(x float64) (float64, error) { return x/1e6 - 1, nil }, lo: 0, hi: inf, x0: 1,
			want: 1e6, mostEvals: 50},
		"turbine": {f: func(x float64) (float64, error) { return 1 - 0.3/(1-math.Pow(x, -0.25)), nil },
			lo: 1.0001, hi: 100, x0: 1.5, want: math.Pow(0.7, -4), mostEvals: 14},
		"not there at x0": {
			f: defined(func(x float64) bool { return x < 0.8 }, func(x float64) float64 { return x*x - 0.25 }), lo: 0,
			hi: 10, x0: 1, want: 0.5, mostEvals: 25,
		},
		"beyond a maximum": {f: func(x float64) (float64, error) { return x*math.Exp(-x) - 0.3, nil }, lo: 0.5,
			hi: 10, x0: 3, want: 1.781337, mostEvals: 25},
		"steep": {f: func(x float64) (float64, error) { return math.Tanh(1e4 * (x - 2)), nil }, lo: 0,
			hi: 10, x0: 9, want: 2, mostEvals: 80},
		"a kink, from zero": {f: func(x float64) (float64, error) { return max(x-1, 10*(x-1)), nil }, lo: 0, hi: 10,
			x0: 0, want: 1, mostEvals: 70},
	} {
		evals := 0
		l := Line{F: func(x float64) (float64, error) { evals++; return c.f(x) }, Lo: c.lo, Hi: c.hi, Typical: 1,
			Tolerance: 1e-12}
		x, err := l.Root(c.x0)
		if err != nil || math.Abs(x-c.want) > 1e-6*c.want || evals > c.mostEvals {
			t.Errorf("%s: %.10g (%v) after %d evaluations, want %.10g after %d", name, x, err, evals, c.want,
				c.mostEvals)
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
		"at a bound": {f: func(x float64) (float64, error) { return 1 + x, nil }, x0: 5, x: 0, bound: true},
		"a minimum":  {f: func(x float64) (float64, error) { return 1 + (x-3)*(x-3), nil }, x0: 8, x: 3, tx: 0.05},
		"not defined": {f: defined(func(x float64) bool { return x < 4 }, func(x float64) float64 { return x - 5 }),
			x0: 1, x: 4, tx: 0.05, beyond: true},
		"a gap": {
			f:  defined(func(x float64) bool { return x < 4 || x > 6 }, func(x float64) float64 { return x - 5 }),
			x0: 1, x: 4, tx: 2.1, beyond: true, across: true,
		},
		"a jump": {f: func(x float64) (float64, error) { return math.Copysign(1, x-5), nil }, x0: 1, x: 5,
			tx: 5, across: true},
		"nowhere at all": {f: defined(func(float64) bool { return false }, nil), x0: 1, x: math.NaN(), beyond: true},
	} {
		l := Line{F: c.f, Lo: 0, Hi: 10, Typical: 1, Tolerance: 1e-12}
		_, err := l.Root(c.x0)
		var no *NoRootError
		if !errors.As(err, &no) || math.Abs(no.X-c.x) > c.tx || math.IsNaN(c.x) != math.IsNaN(no.X) ||
			no.Bound != c.bound || no.Across != c.across || (no.Beyond != nil) != c.beyond {
			t.Errorf("%s: %#v", name, err)
		}
	}
	stop := errors.Join(ErrStop, errors.New("enough"))
	l := Line{F: func(float64) (float64, error) { return 0, stop }, Hi: 1, Typical: 1}
	if _, err := l.Root(0.5); !errors.Is(err, ErrStop) {
		t.Error(err)
	}
}
