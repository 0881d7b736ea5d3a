package state

// Evidence that is none: dead sensors, lost mass, passing peaks, states that flap.

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestEvidence(t *testing.T) {
	// a residual that stands far above its target, beside other values
	stands := func(other func(rng *rand.Rand, x float64) map[string]float64) history {
		return func(rng *rand.Rand, i int) map[string]float64 {
			v := other(rng, float64(i))
			v["residual_p"] = decades(rng, 0.05, max(-2.5, -0.03*float64(i)))
			return v
		}
	}
	calm := func(values map[string]float64) history {
		return stands(func(rng *rand.Rand, x float64) map[string]float64 {
			v := map[string]float64{"Cd": 0.3 + 1e-5*rng.NormFloat64()}
			for name, y := range values {
				v[name] = y * (1 + 1e-6*rng.NormFloat64())
			}
			return v
		})
	}
	fallsWith := func(amplitude func(x float64) float64) history {
		return func(rng *rand.Rand, i int) map[string]float64 {
			x := float64(i)
			return map[string]float64{"residual_p": decades(rng, 0.05, -0.003*x),
				"Cl": 0.5 + amplitude(x)*math.Sin(x/6) + 1e-5*rng.NormFloat64()}
		}
	}
	for name, c := range map[string]struct {
		h     history
		n     int
		want  State
		why   string
		never State // on the way
	}{
		"a sensor that dies": {stands(func(rng *rand.Rand, x float64) map[string]float64 {
			cd := 0.31
			if x < 300 {
				cd = 0.3 + 0.02*rng.NormFloat64()
			}
			return map[string]float64{"Cd": cd}
		}), 900, Stalled, "a dead sensor", ConvergedByValue},
		"a value that comes to rest in its last digit": {stands(func(_ *rand.Rand, x float64) map[string]float64 {
			return map[string]float64{"Cd": math.Round(1e5*(0.3+0.1*math.Exp(-x/40))) / 1e5}
		}), 900, ConvergedByValue, "is steady", ""},
		"a value of three digits": {stands(func(_ *rand.Rand, x float64) map[string]float64 {
			return map[string]float64{"PR": math.Round(100*(1.25-0.05*math.Exp(-x/80))) / 100}
		}), 900, ConvergedByValue, "is steady", Unphysical},
		"mass is lost less and less": {stands(func(_ *rand.Rand, x float64) map[string]float64 {
			return map[string]float64{"Cd": 0.3 + 1e-5*math.Sin(x), "continuity_sum_local": 5 + 500*math.Exp(-x/50)}
		}), 900, ConvergedByValue, "Cd is steady", ""},
		"mass is lost": {calm(map[string]float64{"continuity_sum_local": 5}), 600, Stalled, "balance of mass",
			ConvergedByValue},
		"mass is kept": {calm(map[string]float64{"continuity_sum_local": 1e-6}), 600, ConvergedByValue, "", ""},
		"patches differ": {calm(map[string]float64{"inlet.phi": -2, "outlet.phi": 1.9}), 600, Unphysical, "outlet",
			ConvergedByValue},
		"patches differ by a bleed": {calm(map[string]float64{"inlet.phi": -2, "outlet.phi": 1.9, "bleed.phi": 0.1}),
			600, ConvergedByValue, "", Unphysical},
		"means over patches differ": {calm(map[string]float64{"massflowavg-p0-inlet": 2, "massflowavg-p0-outlet": 1,
			"inlet_flow_angle": 30, "outlet_flow_angle": 2}), 600, ConvergedByValue, "", Unphysical},
		"patches agree": {calm(map[string]float64{"inlet.phi": -2, "outlet.phi": 2.001}), 600, ConvergedByValue,
			"", ""},
		"lift swings on": {fallsWith(func(float64) float64 { return 0.1 }), 800, Oscillating, "Cl swings", ""},
		"lift calms down": {fallsWith(func(x float64) float64 { return 0.1 * math.Exp(-x/150) }), 800, Converging, "",
			Oscillating},
		"a peak passes": {func(rng *rand.Rand, i int) map[string]float64 {
			x := float64(i)
			peak := 2.5 * math.Exp(-math.Pow((x-400)/5, 2))
			return map[string]float64{"residual_p": decades(rng, 0.02, -0.002*x+peak)}
		}, 700, Converging, "", Diverging},
	} {
		for seed := range seeds(t) {
			rng, m := rand.New(rand.NewPCG(seed, 11)), New(Options{Targets: map[string]float64{"p": 1e-5}})
			reached := false
			for i := 1; i <= c.n; i++ {
				feedOne(m, i, c.h(rng, i))
				j := m.Judgement()
				reached = reached || j.State == c.want && strings.Contains(strings.Join(j.Reasons, "; "), c.why)
				if j.State == c.never && c.never != "" {
					t.Errorf("%s, seed %d: %s at %d", name, seed, j.State, i)
					break
				}
			}
			if j := m.Judgement(); !reached {
				t.Errorf("%s, seed %d: %s, want %s: %q", name, seed, j.State, c.want, j.Reasons)
			}
		}
	}
}

// A state that changes a fourth time within a tenth of the run is kept, which is said once, until another one has
// lasted for a tenth.
func TestFlapping(t *testing.T) {
	m := New(Options{})
	m.now = Judgement{State: Converging, Reasons: []string{"p falls"}}
	var said []int
	for _, at := range []int{100, 905, 930, 950, 980, 990} {
		m.count = at
		if m.flapping(Stalled) {
			said = append(said, at)
		}
	}
	if !slices.Equal(said, []int{980}) || m.now.State != Converging ||
		!strings.HasPrefix(m.now.Reasons[0],
			"it changed 4 times within 98 iterations, now to stalled: it stays converging") {
		t.Errorf("said at %v, %s: %q", said, m.now.State, m.now.Reasons)
	}
}
