package ode

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// TestDifferences compares the Jacobian by differences with the exact one, on
// Robertson's reactions at random states, within rounding and curvature: 8 eps |f| / d + |f”| d / 2.
func TestDifferences(t *testing.T) {
	atol := []float64{1e-10, 1e-14, 1e-10}
	testenv.Check(t, func(t *rapid.T) {
		r := robertson()
		y := []float64{
			rapid.Float64Range(0, 1).Draw(t, "a"), math.Pow(10, rapid.Float64Range(-12, -4).Draw(t, "log b")),
			rapid.Float64Range(0, 1).Draw(t, "c"),
		}
		jac := func(p Problem) *mat.Dense {
			s := must.Value(NewGear(p, Settings{ATol: atol}, 0, y))(t)
			must.OK(t, s.linearize(&s.core, 0, 1e-3, s.y, s.yp))
			return s.jacMat
		}
		exact := jac(r.Problem)
		r.Jacobian = nil
		differences := jac(r.Problem)
		terms := 0.04*y[0] + 1e4*y[1]*y[2] + 3e7*y[1]*y[1]
		for i := range 3 {
			for j := range 3 {
				d := max(0x1p-26*y[j], atol[j])
				bound := 8 * eps * (terms/d + math.Abs(exact.At(i, j)))
				if j == 1 { // only its square occurs
					bound += 3e7 * d
				}
				if d := math.Abs(exact.At(i, j) - differences.At(i, j)); d > bound {
					t.Fatalf("at %v: dF_%d/dy_%d is %v by differences, %v exactly", y, i, j, differences.At(i, j),
						exact.At(i, j))
				}
			}
		}
	})
}

// TestJacobianReuse checks that gear evaluates the Jacobian far more rarely than it steps.
func TestJacobianReuse(t *testing.T) {
	for _, r := range []reference{hires(), vanDerPol(), oregonator(), robertson()} {
		s := start(t, "gear", r.Problem, Settings{RTol: 1e-6, ATol: []float64{1e-12}}, r.t0, r.y0)
		run(t, s, r.t1)
		if n := s.Stats(); n.Jacobians*5 > n.Steps || n.Factorizations > n.Steps {
			t.Errorf("%s: %+v", r.name, n)
		}
	}
}

// TestRowScaling solves systems whose rows differ by thirty orders.
func TestRowScaling(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		const n = 4
		l := newLinear(n)
		x, b := make([]float64, n), make([]float64, n)
		for j := range x {
			x[j] = rapid.Float64Range(-1, 1).Draw(t, "x")
		}
		for i := range n {
			scale := math.Pow(10, rapid.Float64Range(-15, 15).Draw(t, "scale"))
			for j := range n {
				v := rapid.Float64Range(-1, 1).Draw(t, "a")
				if i == j {
					v += 5
				}
				l.a[i*n+j] = v * scale
				b[i] += v * scale * x[j]
			}
		}
		if !l.factor() {
			t.Fatal("singular")
		}
		l.solve(b)
		for j := range x {
			must.Within(t, "x", b[j], x[j], 1e-14)
		}
	})
	l := newLinear(2)
	copy(l.a, []float64{1, 2, 2, 4})
	if l.factor() {
		t.Error("a singular matrix was factored")
	}
}
