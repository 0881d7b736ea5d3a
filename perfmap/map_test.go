package perfmap_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

func TestNodesAreReproduced(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		out := make([]perfmap.Value, len(m.Tables))
		for a, alpha := range m.Alpha {
			for r, nc := range m.Nc {
				for c, x := range m.X {
					if e := m.At(alpha, nc, x, out); e != 0 {
						t.Fatalf("edge %v at a node", e)
					}
					for i := range m.Tables {
						if want := m.Row(i, a, r)[c]; math.Abs(out[i].V-want) > 1e-13*math.Abs(want) {
							t.Fatalf("%s at node %d %d %d: %g, want %g", m.Tables[i].Name, a, r, c, out[i].V, want)
						}
					}
				}
			}
		}
	})
}

// In each cell the surface stays between its corners, and moves only one way
// along an axis along which both edges of the cell move that way.
func TestMonotoneDoesNotOvershoot(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		if m.Interp != perfmap.Monotone {
			return
		}
		out := make([]perfmap.Value, len(m.Tables))
		r := rapid.IntRange(0, len(m.Nc)-2).Draw(t, "row")
		c := rapid.IntRange(0, len(m.X)-2).Draw(t, "column")
		nc := rapid.Float64Range(m.Nc[r], m.Nc[r+1]).Draw(t, "nc")
		x := rapid.Float64Range(m.X[c], m.X[c+1]).Draw(t, "x")
		m.At(m.Alpha[0], nc, x, out)
		for i := range m.Tables {
			f00, f01 := m.Row(i, 0, r)[c], m.Row(i, 0, r)[c+1]
			f10, f11 := m.Row(i, 0, r+1)[c], m.Row(i, 0, r+1)[c+1]
			lo, hi := min(f00, f01, f10, f11), max(f00, f01, f10, f11)
			eps := 1e-12 * hi
			if v := out[i].V; v < lo-eps || v > hi+eps {
				t.Fatalf("%s = %g, corners %g to %g", m.Tables[i].Name, v, lo, hi)
			}
			if d := direction(f01-f00, f11-f10); d*out[i].DX < -1e-10*hi/(m.X[c+1]-m.X[c]) {
				t.Fatalf("%s moves along X by %g where its edges move by %g, %g", m.Tables[i].Name, out[i].DX, f01-f00,
					f11-f10)
			}
			if d := direction(f10-f00, f11-f01); d*out[i].DNc < -1e-10*hi/(m.Nc[r+1]-m.Nc[r]) {
				t.Fatalf("%s moves along Nc by %g where its edges move by %g, %g", m.Tables[i].Name, out[i].DNc,
					f10-f00, f11-f01)
			}
		}
	})
}

// anywhere draws a point in or around the map.
func anywhere(t *rapid.T, m *perfmap.Map) perfmap.Point {
	out := func(name string, axis []float64) float64 {
		span := numeric.Last(axis) - axis[0]
		return rapid.Float64Range(axis[0]-span, numeric.Last(axis)+span).Draw(t, name)
	}
	return perfmap.Point{Alpha: perfmaptest.In(t, "alpha", m.Alpha), Nc: out("nc", m.Nc), X: out("x", m.X)}
}

// The derivatives are those of the interpolant, also outside the bounds: equal
// to central differences wherever no node or bound is within the step.
func TestDerivativesAreExact(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		p := anywhere(t, m)
		const h = 1e-5
		if near(m.Alpha, p.Alpha, h) || near(m.Nc, p.Nc, h) || near(m.X, p.X, h) {
			return
		}
		at := func(da, dn, dx float64) []perfmap.Value {
			out := make([]perfmap.Value, len(m.Tables))
			m.At(p.Alpha+da*h, p.Nc+dn*h, p.X+dx*h, out)
			return out
		}
		v := at(0, 0, 0)
		for i := range m.Tables {
			for _, d := range []struct {
				name string
				got  float64
				a, b []perfmap.Value
			}{
				{name: "alpha", got: v[i].DAlpha, a: at(-1, 0, 0), b: at(1, 0, 0)},
				{name: "Nc", got: v[i].DNc, a: at(0, -1, 0), b: at(0, 1, 0)},
				{name: "X", got: v[i].DX, a: at(0, 0, -1), b: at(0, 0, 1)},
			} {
				if d.name == "alpha" && len(m.Alpha) == 1 {
					continue
				}
				want := (d.b[i].V - d.a[i].V) / (2 * h)
				scale := math.Abs(v[i].V) + math.Abs(want) + math.Abs(d.got) + 10
				if math.Abs(d.got-want) > 1e-5*scale {
					t.Fatalf("%s of %s by %s at %v: %g, difference %g", m.Interp, m.Tables[i].Name, d.name, p, d.got,
						want)
				}
			}
		}
	})
}

func near(axis []float64, v, h float64) bool {
	return slices.ContainsFunc(axis, func(a float64) bool { return math.Abs(a-v) < 2*h })
}

// Value, and for a monotone map slope too, are continuous everywhere: over
// cell edges and over the bounds.
func TestContinuity(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		p := anywhere(t, m)
		const h = 1e-9
		cross := rapid.SampledFrom([]string{"Nc", "X"}).Draw(t, "axis")
		a, b := p, p
		if cross == "Nc" {
			n := rapid.SampledFrom(m.Nc).Draw(t, "node")
			a.Nc, b.Nc = n-h, n+h
		} else {
			n := rapid.SampledFrom(m.X).Draw(t, "node")
			a.X, b.X = n-h, n+h
		}
		for _, table := range m.Tables {
			u, _ := m.Value(table.Name, a)
			v, _ := m.Value(table.Name, b)
			big := math.Abs(u.V) + 1 + math.Abs(u.DNc) + math.Abs(u.DX)
			if math.Abs(u.V-v.V) > 1e-6*big {
				t.Fatalf("%s jumps from %g to %g", table.Name, u.V, v.V)
			}
			if m.Interp == perfmap.Monotone && (math.Abs(u.DNc-v.DNc) > 1e-4*big || math.Abs(u.DX-v.DX) > 1e-4*big) {
				t.Fatalf("%s of %s over %s: slopes jump from %v to %v", m.Interp, table.Name, cross, u, v)
			}
		}
	})
}

func TestEdgesAreReported(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		p := anywhere(t, m)
		p.Alpha += rapid.Float64Range(-3, 3).Draw(t, "beyond alpha")
		_, got := m.Value("Wc", p)
		var want perfmap.Edge
		add := func(v float64, axis []float64, low, high perfmap.Edge) {
			for _, bound := range []float64{axis[0], numeric.Last(axis)} {
				if d := math.Abs(v - bound); d > 0 && d < 1e-6 {
					t.Skip("round-off or not") // see TestHairBeyondTheEdge
				}
			}
			if v < axis[0] {
				want |= low
			}
			if v > numeric.Last(axis) {
				want |= high
			}
		}
		add(p.Nc, m.Nc, perfmap.NcLow, perfmap.NcHigh)
		add(p.X, m.X, perfmap.XLow, perfmap.XHigh)
		if len(m.Alpha) > 1 {
			add(p.Alpha, m.Alpha, perfmap.AlphaLow, perfmap.AlphaHigh)
		}
		if got != want {
			t.Fatalf("%v at %v, want %v", got, p, want)
		}
		if (m.Describe(got, p) == "") != (got == 0) {
			t.Fatalf("%q for %v", m.Describe(got, p), got)
		}
	})
}

// Far outside, values stay what a component can work with.
func TestContinuationIsBounded(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		if m.Interp == perfmap.Lagrange2 {
			return // a parabola may already overshoot inside
		}
		p := anywhere(t, m)
		p.Nc *= rapid.Float64Range(-10, 10).Draw(t, "times")
		p.X *= rapid.Float64Range(-10, 10).Draw(t, "times")
		for _, table := range m.Tables {
			v, _ := m.Value(table.Name, p)
			if !(v.V >= 0) || math.IsInf(v.V, 0) || table.Name == "eff" && v.V > 1 || table.Name == "PR" && v.V < 0.25 {
				t.Fatalf("%s = %g at %v", table.Name, v.V, p)
			}
		}
	})
}

// A bicubic of smooth data converges with the third order at least (Steffen's
// limiter is exact to the second order in the slopes away from extrema).
func TestOrderOfAccuracy(t *testing.T) {
	f := func(_, n, x float64) float64 { return math.Exp(0.7*n) * (3 - math.Log(1+x)) }
	worst := func(size int) (e float64) {
		axis := numeric.Ramp(1, 2, size)
		p := tabulated(t, perfmap.Map{Alpha: []float64{0}, Nc: axis, X: axis, Design: perfmap.Point{Nc: 1, X: 1}}, f)
		for n := 1.05; n < 2; n += 0.0137 {
			for x := 1.05; x < 2; x += 0.0137 {
				v, _ := p.Value("Wp", perfmap.Point{Nc: n, X: x})
				e = max(e, math.Abs(v.V-f(0, n, x)))
			}
		}
		return e
	}
	coarse, fine := worst(20), worst(40)
	if order := math.Log2(coarse / fine); order < 2.7 {
		t.Errorf("order %.2f (errors %.3g, %.3g)", order, coarse, fine)
	}
}

// direction is the common sign of two changes, 0 if they disagree.
func direction(a, b float64) float64 {
	if min(a, b) < 0 && max(a, b) > 0 || a == b && a == 0 {
		return 0
	}
	return math.Copysign(1, a+b)
}
