package document

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// Of thousands of runs the table has all, and the failed ones have the curves.
func TestThousandsOfRuns(t *testing.T) {
	runs := enginetest.Trials(t, 1000, 4000, 4000)
	d := dossier.Dossier{Shown: dossier.MostShown}
	for i := range runs {
		r := &dossier.Run{Run: view.Run{Name: fmt.Sprintf("run-%04d", i)},
			Judgement: state.Judgement{State: state.Converged, Usable: true, Iteration: 100}}
		if i < runs/100 {
			r.Judgement.State, r.Judgement.Usable = state.Diverged, false
		}
		for k := range 8 * max(0, min(1, d.Shown-i)) {
			curve := history.Curve{Name: fmt.Sprintf("residual_%d", k)}
			for x := range 500 {
				curve.Points = append(curve.Points,
					history.XY{X: float64(x), Y: math.Exp(math.Sin(float64(x * (k + 2))))})
			}
			r.Curves = append(r.Curves, curve)
		}
		d.Runs = append(d.Runs, r)
	}
	d.Files = &dossier.Files{}
	p := Draw(&d, Options{})
	shown := 0
	for i, r := range p.Runs.Rows {
		if r.Shown {
			shown++
		}
		if failed := i < runs/100; failed != (r.State.Tone == "diverged") {
			t.Fatalf("row %d is %+v", i, r.State)
		}
	}
	if len(p.Runs.Rows) != runs || shown != d.Shown || !strings.Contains(p.Runs.Note, "failed and the worst first") {
		t.Errorf("%d rows, %d shown, %q", len(p.Runs.Rows), shown, p.Runs.Note)
	}
	for name, r := range p.Curves {
		for _, c := range r.Curves {
			if !c.Thinned || len(c.X) > leastPoints {
				t.Fatalf("%s has a curve of %d points", name, len(c.X))
			}
		}
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil || b.Len() > 5e6 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
}
