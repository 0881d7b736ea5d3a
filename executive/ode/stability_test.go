package ode

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// oscillator is y' = lambda y for a complex lambda, as two real equations.
func oscillator(lambda complex128) Problem {
	a, b := real(lambda), imag(lambda)
	return Problem{N: 2, Autonomous: true, F: func(_ float64, y, f []float64) error {
		f[0], f[1] = a*y[0]-b*y[1], b*y[0]+a*y[1]
		return nil
	}}
}

// amplification is the growth of |y| in n steps of size 1.
func amplification(t *testing.T, method string, order, n int, z complex128) float64 {
	s := start(t, method, oscillator(z), Settings{Step: 1, MaxOrder: order}, 0, []float64{1, 0})
	for range n {
		must.OK(t, s.Step(1e6))
	}
	return math.Hypot(s.Y()[0], s.Y()[1])
}

// TestStabilityFunction compares one step on y' = lambda y with the method's polynomial, the
// exponential series cut at its order (and c z^6 for Dormand-Prince, c = 1/600; Hairer II, section IV.2).
func TestStabilityFunction(t *testing.T) {
	for _, z := range []complex128{-1, 2i, -2.5 + 1i, 0.3 - 0.7i} {
		series, term := complex(1, 0), complex(1, 0)
		want := map[string]complex128{}
		for k := 1; k <= 5; k++ {
			term *= z / complex(float64(k), 0)
			series += term
			switch k {
			case 2:
				want["modified-euler"] = series
			case 4:
				want["rk4"] = series
			case 5:
				want["dormand-prince"] = series + z*z*z*z*z*z/600
			}
		}
		for m, w := range want {
			must.Within(t, fmt.Sprintf("%s: |R(%v)|", m, z), amplification(t, m, 0, 1, z), cmplx.Abs(w), 1e-13)
		}
	}
}

// TestAStable checks that gear of order 1 and 2 and rosenbrock damp every decaying
// solution, also on the imaginary axis, and that rosenbrock and gear forget the stiffest at once.
func TestAStable(t *testing.T) {
	for _, r := range []float64{1e-3, 0.1, 0.5, 1, 2, 5, 20, 1e3, 1e6} {
		for _, angle := range []float64{90, 100, 120, 150, 180} {
			z := cmplx.Rect(r, angle*math.Pi/180)
			for _, m := range []struct {
				name  string
				order int
			}{{"gear", 1}, {"gear", 2}, {"rosenbrock", 0}} {
				if g := amplification(t, m.name, m.order, 400, z); g > 1+1e-9 {
					t.Errorf("%s, order %d: |y| grows to %v with h lambda = %v", m.name, m.order, g, z)
				}
			}
		}
	}
	for _, m := range []string{"gear", "rosenbrock"} {
		if g := amplification(t, m, 0, 20, -1e9); g > 1e-10 {
			t.Errorf("%s: %v is left of the stiffest solution after 20 steps", m, g)
		}
	}
}

// TestGearWedges checks the stable wedges of gear's orders 3 to 5, of 86.03, 73.35 and
// 51.84 degrees about the negative real axis (Hairer II, table V.2.1): decay just inside, growth somewhere just
// outside.
func TestGearWedges(t *testing.T) {
	for k, wedge := range map[int]float64{3: 86.03, 4: 73.35, 5: 51.84} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			worst := func(off float64) (g float64) {
				for r := 0.02; r < 60; r *= 1.1 {
					g = max(g, amplification(t, "gear", k, 3000, cmplx.Rect(r, (180-wedge-off)*math.Pi/180)))
				}
				return g
			}
			if in := worst(-1); in > 1 {
				t.Errorf("order %d grows by %v inside its wedge", k, in)
			}
			if out := worst(1); out < 1e3 {
				t.Errorf("order %d grows by %v only outside its wedge", k, out)
			}
		})
	}
}
