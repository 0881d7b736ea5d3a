package state

// How early a run that will end badly is called what it ends as.

import (
	"math"
	"math/rand/v2"
	"testing"
)

// firstCalled is the iteration at which a run is first called so, 0 if it never is; it reports once in so many
// iterations.
func firstCalled(m *Machine, want State, seed uint64, n, every int, h history) int {
	rng := rand.New(rand.NewPCG(seed, 9))
	for i := every; i <= n; i += every {
		feedOne(m, i, h(rng, i))
		if m.Judgement().State == want {
			return i
		}
	}
	return 0
}

func TestNamedEarly(t *testing.T) {
	// a balance of mass that grows by a factor in each iteration while residuals stay at their start
	blows := func(rng *rand.Rand, i int) map[string]float64 {
		return map[string]float64{"residual_Ux": decades(rng, 0.1, -0.2), "residual_p": decades(rng, 0.1, -0.3),
			"continuity_sum_local": decades(rng, 0.1, -3+0.3*float64(i))}
	}
	// the same of a flow that begins to move from rest: its residuals come down
	begins := func(rng *rand.Rand, i int) map[string]float64 {
		x := float64(i)
		return map[string]float64{
			"residual_Ux": decades(rng, 0.05, -0.15*x), "residual_p": decades(rng, 0.05, -0.15*x),
			"continuity_sum_local": decades(rng, 0.1, min(-8+0.3*x, -5)),
		}
	}
	// falls to a level, and stays
	breaks := func(rate, level float64) history {
		return func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{"residual_p": decades(rng, 0.05, max(level, -rate*float64(i)))}
		}
	}
	falls := func(rng *rand.Rand, i int) map[string]float64 {
		return map[string]float64{"residual_p": decades(rng, 0.05, -0.005*float64(i))}
	}
	efficiency := func(end float64) history {
		return func(rng *rand.Rand, i int) map[string]float64 {
			v := falls(rng, i)
			v["eff"] = end - 0.3*math.Exp(-float64(i)/60) + 1e-4*rng.NormFloat64()
			return v
		}
	}
	high := func(rng *rand.Rand, _ int) map[string]float64 {
		return map[string]float64{"residual": decades(rng, 0.05, -0.7), "W_in": 350 + rng.NormFloat64()}
	}
	cases := []struct {
		name     string
		h        history
		limit    float64
		n, every int
		want     State
		from, by int // iterations between which it is called so first; 0: never
	}{
		{"loses its balance", blows, 1000, 200, 1, Diverging, 10, 16},
		{"begins to move", begins, 1000, 200, 1, Diverging, 0, 0},
		{"breaks off", breaks(0.03, -2.5), 0, 600, 1, Stalled, 84, 260},
		{"breaks off a slow fall", breaks(0.005, -0.9), 0, 600, 1, Stalled, 240, 440},
		{"will reach its limit", falls, 300, 300, 1, Limit, 100, 120},
		{"will not reach it", falls, 1000, 790, 1, Limit, 0, 0},
		{"efficiency above 1", efficiency(1.1), 0, 700, 1, Unphysical, 80, 300},
		{"efficiency of nearly 1", efficiency(0.99), 0, 700, 1, Unphysical, 0, 0},
		{"stays high, reports seldom", high, 0, 2000, 20, Diverging, 200, 500},
	}
	for _, c := range cases {
		for seed := range seeds(t) {
			at := firstCalled(New(Options{Limit: c.limit}), c.want, seed, c.n, c.every, c.h)
			if at < c.from || at > c.by {
				t.Errorf("%s, seed %d: %s at %d; want it between %d and %d", c.name, seed, c.want, at, c.from, c.by)
			}
		}
	}
}
