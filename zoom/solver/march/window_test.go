package march

import "testing"

// A window's drift is 1 until it is full, then the spread of the flows that it still holds.
func TestWindow(t *testing.T) {
	var w Window
	for n := range WindowLength {
		if d := w.Drift(); d != 1 {
			t.Fatalf("drift %g with %d flows", d, n)
		}
		w.Add(100)
	}
	if d := w.Drift(); d != 0 {
		t.Errorf("drift %g of a constant flow", d)
	}
	w.Add(80)
	if d := w.Drift(); d != 0.2 {
		t.Errorf("drift %g from 100 to 80", d)
	}
	for range WindowLength {
		w.Add(80)
	}
	if d := w.Drift(); d != 0 || len(w) != WindowLength {
		t.Errorf("drift %g, %d flows", d, len(w))
	}
}

func TestNamed(t *testing.T) {
	if err := Named("counter", Bad("Gas.R", "%g", 0.0)); err.Error() != "counter: Gas.R: 0" {
		t.Errorf("got %q", err)
	}
}
