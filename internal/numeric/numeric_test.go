package numeric

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

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

func TestFinite(t *testing.T) {
	for v, want := range map[float64]bool{0: true, math.MaxFloat64: true, math.Inf(1): false, math.Inf(-1): false} {
		if Finite(v) != want {
			t.Errorf("Finite(%g) is %v", v, !want)
		}
	}
	if Finite(math.NaN()) {
		t.Error("NaN is finite")
	}
}

func TestTextReadsBack(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		if got, err := strconv.ParseFloat(Text(v), 64); err != nil || got != v {
			t.Fatalf("%g became %g (%v)", v, got, err)
		}
	})
	if s := List([]float64{0, 0.5, 1e21}); s != "[0, 0.5, 1e+21]" {
		t.Error(s)
	}
}
