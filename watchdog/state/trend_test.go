package state

import (
	"math"
	"math/rand/v2"
	"slices"
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

// Selection gives what sorting does, also of numbers that are equal, sorted or turned round.
func TestPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		n := 1 + rng.IntN(300)
		x := make([]float64, n)
		for i := range x {
			switch x[i] = rng.NormFloat64(); n % 4 {
			case 0:
				x[i] = float64(int(2 * x[i]))
			case 1:
				x[i] = float64(i)
			case 2:
				x[i] = float64(-i)
			}
		}
		sorted := slices.Sorted(slices.Values(x))
		k := rng.IntN(n)
		if v := place(x, k); v != sorted[k] || n > 1 && (slices.Max(x[:k+1]) > v || slices.Min(x[k:]) < v) {
			t.Fatalf("place %d of %v is %g, not %g", k, sorted, v, sorted[k])
		}
		if v, want := middle(x), (sorted[(n-1)/2]+sorted[n/2])/2; v != want {
			t.Fatalf("the middle of %v is %g, not %g", sorted, v, want)
		}
		if x[(n-1)/2] != sorted[(n-1)/2] || x[n/2] != sorted[n/2] {
			t.Fatal("the middle is not at its place")
		}
	}
}
