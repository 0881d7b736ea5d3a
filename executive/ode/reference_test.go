package ode

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// TestPublished integrates the field's test problems to the answers that others
// published, by every method that suits them, and asks for correct digits.
func TestPublished(t *testing.T) {
	all := []string{"modified-euler", "rk4", "dormand-prince", "adams", "gear", "rosenbrock"}
	stiff := all[4:]
	for _, c := range []struct {
		ref     reference
		methods []string
		rtol    float64
		atol    []float64
		digits  float64
	}{
		{brusselator(), all[1:], 1e-9, []float64{1e-9}, 6},
		{brusselator(), all[:1], 1e-7, []float64{1e-7}, 5},
		{pleiades(), []string{"rk4", "dormand-prince", "adams", "rosenbrock"}, 1e-10, []float64{1e-10}, 5.5},
		{pleiades(), stiff[:1], 1e-11, []float64{1e-11}, 5.5},
		{hires(), stiff, 1e-8, []float64{1e-12}, 5},
		{hires(), all[1:4], 1e-6, []float64{1e-10}, 4},
		{vanDerPol(), stiff, 1e-8, []float64{1e-10}, 4.5},
		{vanDerPolScaled(), stiff, 1e-8, []float64{1e-8}, 4.5},
		{oregonator(), stiff, 1e-8, []float64{1e-10}, 4},
		// y decays over eleven decades without forgetting: 1500 steps may add up to 1500 rtol
		{robertson(), stiff, 1e-8, []float64{1e-12, 1e-18, 1e-12}, 4.5},
	} {
		for _, m := range c.methods {
			t.Run(c.ref.name+"/"+m, func(t *testing.T) {
				s := start(t, m, c.ref.Problem, Settings{RTol: c.rtol, ATol: c.atol}, c.ref.t0, c.ref.y0)
				run(t, s, c.ref.t1)
				d := digits(s.Y(), c.ref.y1)
				t.Logf("%.1f digits, %+v", d, s.Stats())
				if !(d >= c.digits) {
					t.Errorf("%.1f correct digits, want %v; y is %v, published is %v (%s)", d, c.digits, s.Y(),
						c.ref.y1, c.ref.source)
				}
			})
		}
	}
}

// TestStiffnessCosts measures the cost of stiffness for an explicit method: on a part of van der Pol's oscillator with
// mu = 1000 it takes over 100 times the steps.
func TestStiffnessCosts(t *testing.T) {
	v := vanDerPol()
	steps := func(m string) int {
		s := start(t, m, v.Problem, Settings{RTol: 1e-5, ATol: []float64{1e-5}}, v.t0, v.y0)
		run(t, s, 100)
		return s.Stats().Steps
	}
	for _, ex := range []string{"modified-euler", "rk4", "dormand-prince", "adams"} {
		for _, im := range []string{"gear", "rosenbrock"} {
			if a, b := steps(ex), steps(im); a < 100*b {
				t.Errorf("%s took %d steps and %s %d", ex, a, im, b)
			}
		}
	}
}

// TestLinearInvariants checks that sums which the equations conserve stay, to rounding: the total
// mass of HIRES's last two species and, of the Pleiades, the momentum.
func TestLinearInvariants(t *testing.T) {
	h, p := hires(), pleiades()
	for _, m := range Methods() {
		s := start(t, m.Name, p.Problem, Settings{}, p.t0, p.y0)
		run(t, s, 1)
		for c := range 2 {
			sum, was := 0.0, 0.0
			for i := range 7 {
				sum += float64(i+1) * s.Y()[14+7*c+i]
				was += float64(i+1) * p.y0[14+7*c+i]
			}
			must.Within(t, m.Name+": momentum", sum, was, 1e-10)
		}
		s = start(t, m.Name, h.Problem, Settings{}, h.t0, h.y0)
		run(t, s, 10)
		must.Within(t, m.Name+": mass", s.Y()[6]+s.Y()[7], 0.0057, 1e-14)
	}
}
