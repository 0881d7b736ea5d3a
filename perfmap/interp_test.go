package perfmap_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// polynomialMap tabulates f on uneven axes, on three alpha planes.
func polynomialMap(t *testing.T, interp perfmap.Interp, f func(a, n, x float64) float64) *perfmap.Map {
	return tabulated(t, perfmap.Map{
		Interp: interp, Design: perfmap.Point{Nc: 1, X: 3},
		Alpha: []float64{0, 1, 3}, Nc: []float64{0.5, 0.7, 1, 1.1}, X: []float64{1, 1.5, 1.7, 3, 4},
	}, f)
}

// tabulated is a turbine map of f on the axes of m.
func tabulated(t *testing.T, m perfmap.Map, f func(a, n, x float64) float64) *perfmap.Map {
	t.Helper()
	m.Name, m.Kind, m.XName = "tabulated", perfmap.Turbine, "PR"
	wp := perfmap.Table{Name: "Wp"}
	for _, a := range m.Alpha {
		for _, n := range m.Nc {
			for _, x := range m.X {
				wp.V = append(wp.V, f(a, n, x))
			}
		}
	}
	m.Tables = []perfmap.Table{wp, {Name: "eff", V: wp.V}}
	return must.Value(perfmap.New(m))(t)
}

// Each interpolation reproduces the polynomials it is made of, value and slopes.
func TestInterpolationsAreExactForTheirPolynomials(t *testing.T) {
	linear := func(a, n, x float64) float64 { return 10 + a + 2*n + 3*x + a*n + n*x + a*n*x }
	cube := func(a, n, x float64) float64 { return 10 + a*a + n*n*n*x + x*x*x*(1+a) + n*n*n*x*x*x }
	square := func(a, n, x float64) float64 { return 10 + a*a + n*n*x + x*x*(1+a) + a*a*n*n*x*x }
	maps := map[perfmap.Interp]struct {
		m *perfmap.Map
		f func(a, n, x float64) float64
	}{
		perfmap.Linear:    {polynomialMap(t, perfmap.Linear, linear), linear},
		perfmap.Monotone:  {polynomialMap(t, perfmap.Monotone, linear), linear},
		perfmap.Lagrange2: {polynomialMap(t, perfmap.Lagrange2, square), square},
		perfmap.Lagrange3: {polynomialMap(t, perfmap.Lagrange3, cube), cube},
	}
	testenv.Check(t, func(t *rapid.T) {
		for interp, c := range maps {
			a, n, x := perfmaptest.In(t, "a", c.m.Alpha), perfmaptest.In(t, "n", c.m.Nc), perfmaptest.In(t, "x", c.m.X)
			got, edge := c.m.Value("Wp", perfmap.Point{a, n, x})
			const h = 1e-5
			slope := func(da, dn, dx float64) float64 {
				return (c.f(a+da*h, n+dn*h, x+dx*h) - c.f(a-da*h, n-dn*h, x-dx*h)) / (2 * h)
			}
			want := perfmap.Value{V: c.f(a, n, x), DAlpha: slope(1, 0, 0), DNc: slope(0, 1, 0), DX: slope(0, 0, 1)}
			for _, d := range []struct {
				name      string
				got, want float64
			}{{"value", got.V, want.V}, {"by alpha", got.DAlpha, want.DAlpha}, {"by Nc", got.DNc, want.DNc},
				{"by X", got.DX, want.DX}} {
				if edge != 0 || math.Abs(d.got-d.want) > 1e-7*(1+math.Abs(d.want)) {
					t.Fatalf("%s %s at %g %g %g: %g, want %g", interp, d.name, a, n, x, d.got, d.want)
				}
			}
		}
	})
}

// The parabola of an interval goes through its left end and the two points
// after it; in the last interval it is that of the interval before.
func TestLagrange2TakesThePointsThatNPSSTakes(t *testing.T) {
	x, y := []float64{1, 1.5, 1.7, 3, 4}, []float64{2, 5, 3, 7, 4}
	m := perfmap.Map{Name: "points", Kind: perfmap.Turbine, Interp: perfmap.Lagrange2, Alpha: []float64{0},
		Nc: []float64{1}, X: x, XName: "PR", Design: perfmap.Point{Nc: 1, X: 3},
		Tables: []perfmap.Table{{Name: "Wp", V: y}, {Name: "eff", V: y}}}
	p := must.Value(perfmap.New(m))(t)
	for _, c := range []struct {
		at    float64
		first int
	}{{1.2, 0}, {1.6, 1}, {2, 2}, {3.5, 2}} {
		want := 0.0
		for i := c.first; i < c.first+3; i++ {
			w := 1.0
			for j := c.first; j < c.first+3; j++ {
				if j != i {
					w *= (c.at - x[j]) / (x[i] - x[j])
				}
			}
			want += w * y[i]
		}
		if got, _ := p.Value("Wp", perfmap.Point{Nc: 1, X: c.at}); math.Abs(got.V-want) > 1e-13*want {
			t.Errorf("at %g: %g, want %g", c.at, got.V, want)
		}
	}
}
