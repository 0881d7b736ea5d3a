package turns

import (
	"math"
	"testing"
)

// A machine that slows down steadily does not count as a cost; one that is a tenth longer in each other turn does.
func TestCost(t *testing.T) {
	var times []float64
	for i := range 61 {
		x := 1 + float64(i)/100
		if i%2 == 1 {
			x *= 1.1
		}
		times = append(times, x)
	}
	median, upper := Cost(times)
	if math.Abs(median-0.1) > 1e-12 || math.Abs(upper-0.1) > 1e-12 {
		t.Errorf("%v, %v", median, upper)
	}
	for i := 1; i < 21; i += 2 {
		times[i] *= 2
	}
	if median, upper = Cost(times); math.Abs(median-0.1) > 1e-12 || upper < 0.1 {
		t.Errorf("a third of the turns is disturbed: %v, %v", median, upper)
	}
}
