package state

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// An equation on which the linear solver never works is no evidence that a run went well; neither is a flow in which
// nothing moves.
func TestUnsolved(t *testing.T) {
	// a linear solution of k: its residual before and after, and its iterations
	k := func(residual, final, inner float64) history {
		return func(rng *rand.Rand, _ int) map[string]float64 {
			return map[string]float64{"residual_k": residual * math.Pow(10, 0.05*rng.NormFloat64()), "final_k": final,
				"inner_k": inner}
		}
	}
	fixed := func(values map[string]float64) history {
		return func(*rand.Rand, int) map[string]float64 { return maps.Clone(values) }
	}
	moves := func(from int, then map[string]float64) history {
		return func(_ *rand.Rand, i int) map[string]float64 {
			v := map[string]float64{"courant_max": 0, "residual_Ux": 0, "residual_p": 0}
			if i >= from {
				maps.Copy(v, then)
			}
			return v
		}
	}
	steady := func(h history) history { // all residuals but that of k reach their targets
		return func(rng *rand.Rand, i int) map[string]float64 {
			v := h(rng, i)
			v["residual_p"] = decades(rng, 0.05, max(-7, -0.05*float64(i)))
			return v
		}
	}
	flows := map[string]float64{"courant_max": 0.3, "residual_Ux": 0.1, "residual_p": 0.2}
	atFirst := func(rng *rand.Rand, i int) map[string]float64 {
		if i <= 5 {
			return k(0.5, 1e-3, 3)(rng, i)
		}
		return k(5e-3, 5e-3, 0)(rng, i)
	}
	explicit := fixed(map[string]float64{"residual_k": 0, "final_k": 0, "inner_k": 0})
	roundOff := moves(1, map[string]float64{"courant_max": 1e-14, "residual_Ux": 0.9})
	conducts := fixed(map[string]float64{"courant_max": 0, "residual_T": 0.1})
	rest := fixed(map[string]float64{"continuity_local": 0, "residual_Ux": 0, "residual_p": 0})
	for name, c := range map[string]struct {
		h      history
		inTime bool
		want   State
		why    string
	}{
		"in time, never iterated":            {k(5e-3, 5e-3, 0), true, InnerStalled, "k was iterated in 0 of"},
		"in time, iterated at first":         {atFirst, true, InnerStalled, "k was iterated in 5 of 600 steps"},
		"in time, iterated":                  {k(5e-3, 1e-7, 2), true, Complete, ""},
		"in time, nothing to iterate":        {k(1e-6, 1e-6, 0), true, Complete, ""},
		"in time, iterated before in a step": {k(0.5, 8e-3, 0), true, Complete, ""},
		"in time, explicit":                  {explicit, true, Complete, ""},
		"steady, never iterated":             {steady(k(5e-3, 5e-3, 0)), false, Stalled, "k was iterated in 0 of"},
		"nothing moves":                      {moves(1e9, nil), true, Unphysical, "the Courant number was 0"},
		"nothing moves, by round-off":        {roundOff, true, Unphysical, "nothing moves"},
		"it begins to move":                  {moves(40, flows), true, Complete, ""},
		"conduction in a fluid at rest":      {conducts, true, Complete, ""},
		"steady, nothing moves":              {rest, false, Unphysical, "nothing moves: the balance of mass"},
	} {
		m := New(Options{})
		rng := rand.New(rand.NewPCG(7, 8))
		for i := 1; i <= 600; i++ {
			v := c.h(rng, i)
			if c.inTime {
				if _, has := v["courant_max"]; !has {
					v["courant_max"] = 0.5
				}
				v["time"] = 0.01 * float64(i)
				marchedOne(m, v)
				continue
			}
			feedOne(m, i, v)
		}
		status(m, SaidEnded, "End")
		if j := m.Final(Ending{}); j.State != c.want || !strings.Contains(j.Reasons[0], c.why) {
			t.Errorf("%s: %s, want %s: %q", name, j.State, c.want, j.Reasons)
		}
	}
}
