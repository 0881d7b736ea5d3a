package zoomsolve

import (
	"math"
	"testing"
)

// The fewest parts are reduced that bring the whole to the wanted error: the largest of those that a run can reduce.
func TestShareOut(t *testing.T) {
	yes, no := func() bool { return true }, func() bool { return false }
	for _, c := range []struct {
		name  string
		sizes []float64
		can   []func() bool
		due   []float64 // excess; 0: not due
		may   float64   // permitted rest of the due part
	}{
		{"within", []float64{0.6, 0.7}, []func() bool{yes, yes}, []float64{0, 0}, 0},
		{"one alone", []float64{1.5}, []func() bool{yes}, []float64{1.5}, 1},
		{"the larger of two", []float64{0.8, 0.9}, []func() bool{yes, yes}, []float64{0, math.Hypot(0.8, 0.9)},
			math.Sqrt(0.5)},
		{"a small one stays", []float64{3, 0.1}, []func() bool{yes, yes}, []float64{math.Hypot(3, 0.1), 0},
			math.Sqrt(0.99)},
		{"both", []float64{2, 1.5}, []func() bool{yes, yes}, []float64{2.5, 1.5}, math.Sqrt(0.5)},
		{"the smaller makes up", []float64{0.9, 0.7}, []func() bool{no, yes}, []float64{0, math.Hypot(0.9, 0.7)},
			math.Sqrt(0.5)},
		{"nothing makes up", []float64{1.2, 0.7}, []func() bool{no, yes}, []float64{math.Hypot(1.2, 0.7), 0},
			math.Sqrt(0.51)},
	} {
		got := make([]due, len(c.sizes))
		var parts []share
		for i, size := range c.sizes {
			parts = append(parts, share{of: &got[i], goal: 1, error: size * 2e-3, wanted: 2e-3, can: c.can[i]})
		}
		shareOut(parts)
		for i, d := range got {
			if math.Abs(d.excess-c.due[i]) > 1e-12 {
				t.Errorf("%s: excess %v, want %v", c.name, got, c.due)
			}
			if d.excess > 0 && (math.Abs(d.wanted-c.may*2e-3) > 1e-12 || d.goal != 1) {
				t.Errorf("%s: of goal %d %.4g may be left, want %.4g", c.name, d.goal, d.wanted, c.may*2e-3)
			}
		}
	}
}

// Of several results that miss the wanted error the largest miss counts.
func TestShareOutOfSeveralResults(t *testing.T) {
	var d due
	for goal, size := range []float64{1.2, 3, 2} {
		shareOut([]share{{of: &d, goal: goal, error: size * 1e-3, wanted: 1e-3, can: func() bool { return true }}})
	}
	if d.goal != 1 || d.excess != 3 || d.wanted != 1e-3 {
		t.Errorf("due %+v", d)
	}
}
