package throughflow

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// NACA Report 1135, tables I and II.
func TestGasDynamics(t *testing.T) {
	for _, tc := range []struct{ got, want, tol float64 }{
		{prandtlMeyer(2, 1.4) / degree, 26.38, 0.005},
		{prandtlMeyer(1.5, 1.4) / degree, 11.905, 0.001},
		{normalShock(2, 1.4), 0.7209, 5e-5},
		{normalShock(1.5, 1.4), 0.9298, 5e-5},
		{expand(1.5, (26.38-11.905)*degree, 1.4), 2, 1e-3},
	} {
		must.Within(t, "value", tc.got, tc.want, tc.tol)
	}
}

func TestDeviation(t *testing.T) {
	c := cascade{kappa1: 50 * degree, kappa2: 30 * degree, stagger: 30 * degree, solidity: 1}
	// Carter: 0.270 x 20 = 5.40 deg; Cetin: -1.0994 + 16.300 - 5.797 = 9.404 deg.
	must.Within(t, "deviation, deg", c.deviation(0, 0, 50*degree)/degree, 9.404, 0.02)
}

// Losses are finite and not negative, and more incidence or Mach number never
// makes them less, for whatever flow a row may meet.
func TestLossesAreSane(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		draw := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		k1 := draw("kappa1", 0, 65) * degree
		c := cascade{
			blades: 30, sign: -1, r1: 0.8, r2: 0.8, kappa1: k1, kappa2: k1 - draw("camber", 0, 60)*degree,
			solidity: draw("solidity", 0.5, 3), thickness: draw("t/c", 0.02, 0.15), chord: 0.2, pitch: 0.1, height: 0.5,
			iSuction: 0.05, mouthAngle: k1 - 0.05,
		}
		i := draw("incidence", -15, 30) * degree
		b1 := min(k1+i, 88*degree)
		v := triangle{
			gas: air, beta1: b1, beta2: draw("beta2", -40, 70) * degree, vm1: draw("vm1", 1, 300),
			vm2: draw("vm2", 1, 300),
			m1:  draw("M1", 0.1, 1.8), work: draw("work", 0, 300), height: draw("height", 0.3, 3),
			reynolds: draw("Re", 1e3, 1e8),
		}
		v.w1, v.w2 = v.vm1/math.Cos(v.beta1), v.vm2/math.Cos(v.beta2)
		ref := c.incidence(b1, v.m1)
		l := c.loss(&v, i, ref)
		for _, x := range []float64{l.profile, l.incidence, l.shock, l.endwall, ref, c.deviation(i, ref, b1)} {
			if !numeric.Finite(x) {
				t.Fatalf("not finite: %+v, reference incidence %g", l, ref)
			}
		}
		if l.profile < 0 || l.incidence < 0 || l.shock < 0 || l.endwall < 0 {
			t.Fatalf("negative: %+v", l)
		}
		more := c.loss(&v, i+math.Copysign(0.02, i-ref), ref)
		if more.incidence < l.incidence {
			t.Fatalf("incidence loss falls from %g to %g", l.incidence, more.incidence)
		}
	})
}
