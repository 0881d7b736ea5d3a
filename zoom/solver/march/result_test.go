package march

import (
	"math"
	"testing"
)

// A turbine's efficiency is the actual work over the ideal one, a compressor's the inverse, and a row that stands has
// none.
func TestEfficiency(t *testing.T) {
	gas := Gas{Gamma: 1.3, R: 287}
	station := func(pt, tt float64) *Station { return &Station{W: 10, Pt: pt, Tt: tt} }
	in := station(4e5, 1400)
	const pr, eff = 0.5, 0.9
	k := (gas.Gamma - 1) / gas.Gamma
	for _, c := range []struct {
		name  string
		out   *Station
		power float64
		want  float64
	}{
		{"turbine", station(4e5*pr, 1400*(1-eff*(1-math.Pow(pr, k)))), -1e6, eff},
		{"compressor", station(4e5/pr, 1400*(1+(math.Pow(1/pr, k)-1)/eff)), 1e6, eff},
		{"vane", station(4e5*0.98, 1400*(1-4e-6)), 0, 0},
		{"nothing", station(4e5, 1400), 1, 0},
	} {
		var r Result
		if !r.Balance(in, c.out, c.power, gas) || math.Abs(r.Eff-c.want) > 1e-12 {
			t.Errorf("%s: efficiency %g, want %g", c.name, r.Eff, c.want)
		}
	}
}
