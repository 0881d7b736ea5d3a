package state

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The power at each frequency is that of the sums that define it, whatever the number of points.
func TestPeriodogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 16; n <= mostSwinging; n++ {
		y := make([]float64, n)
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		var into [mostSwinging/2 + 1]float64
		for k, got := range periodogram(y, cosines()[n].turns, into[:]) {
			re, im := 0.0, 0.0
			for i, v := range y {
				sin, cos := math.Sincos(2 * math.Pi * float64(k) * float64(i) / float64(n))
				re, im = re+v*cos, im+v*sin
			}
			if want := re*re + im*im; math.Abs(got-want) > 1e-9*(1+want) {
				t.Fatalf("%d periods in %d points: %g, not %g", k, n, got, want)
			}
		}
	}
}
