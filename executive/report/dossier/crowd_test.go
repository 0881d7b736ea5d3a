package dossier

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Of thousands of runs the failed ones come first and keep their curves, and never are the curves of many more held.
func TestCrowd(t *testing.T) {
	const runs = 4000
	var c crowd
	for i := range runs {
		r := &Run{Judgement: state.Judgement{State: state.Converged, Usable: true}, Curves: []history.Curve{{}}}
		r.Name = fmt.Sprintf("run-%04d", i)
		if i%100 == 99 {
			r.Judgement = state.Judgement{State: state.Diverged}
		}
		if c.add(r); len(c.drawn) > 2*MostShown {
			t.Fatalf("the curves of %d runs are held", len(c.drawn))
		}
	}
	all, shown := c.sorted()
	held := 0
	for i, r := range all {
		if r.HasCurves() {
			held++
		}
		if failed := r.Judgement.State == state.Diverged; failed != (i < runs/100) || failed && !r.HasCurves() {
			t.Fatalf("%d is %s, %s", i, r.Name, r.Judgement.State)
		}
	}
	if len(all) != runs || held != MostShown || shown != MostShown {
		t.Errorf("%d runs, %d with curves, %d shown", len(all), held, shown)
	}
}
