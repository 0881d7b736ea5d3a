package zoom

import (
	"math"
	"testing"
)

// Where a run has its answer there is no other, but for one again: beside it, so often as there are places.
func TestRunBesideAnAnswer(t *testing.T) {
	r := hastyRounds(t, 1)
	r.order(t, Order{At: r.Machine.DesignPoint()})
	p := pointAt(r.answers[0].X)
	if q, ok := r.New(p, false); ok || !r.Known(p) {
		t.Fatalf("a new run at %v, where there is one: %v", p, q)
	}
	if q, ok := r.Free(p); ok {
		t.Errorf("a run is planned at %v, where there is one", q)
	}
	n := 0
	for q, ok := r.New(p, true); ok; q, ok = r.New(p, true) {
		if q == p || math.Abs(q.Nu-p.Nu) > 0.01 || math.Abs(q.Kappa-p.Kappa) > 0.05 {
			t.Errorf("a run at %v is to be beside one at %v", q, p)
		}
		if r.order(t, Order{At: q})[0] == nil {
			t.Fatalf("no run at %v", q)
		}
		n++
	}
	if n != 2*len(besides) {
		t.Errorf("%d runs beside one, for %d places", n, 2*len(besides))
	}
}
