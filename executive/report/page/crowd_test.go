package page

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/report"
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
	p := Page{Runs: runsOf(&d)}
	shown := 0
	for i, r := range p.Runs.Rows {
		if r.Shown {
			shown++
		}
		if failed := i < runs/100; failed != (r.Usable == "no") {
			t.Fatalf("row %d is %+v", i, r.State)
		}
	}
	if len(p.Runs.Rows) != runs || shown != d.Shown || !strings.Contains(p.Runs.Note, "failed and the worst first") {
		t.Errorf("%d rows, %d shown, %q", len(p.Runs.Rows), shown, p.Runs.Note)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil || b.Len() > 5e6 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
}

// A curve drawn with few points stays close to the original.
func TestThinnedCurveIsClose(t *testing.T) {
	var list []history.XY
	for x := range 400 {
		list = append(list, history.XY{X: float64(x), Y: 50 * math.Exp(-float64(x)/80) * math.Cos(float64(x)/15)})
	}
	out := thinned(list, detail{200, 0.3})
	if len(out) > 60 {
		t.Errorf("%d points", len(out))
	}
	k := 0
	for _, p := range list {
		for k < len(out)-2 && out[k+1].X < p.X {
			k++
		}
		a, b := out[k], out[k+1]
		if y := a.Y + (p.X-a.X)/(b.X-a.X)*(b.Y-a.Y); math.Abs(y-p.Y) > 1 {
			t.Fatalf("at %g: %g for %g", p.X, y, p.Y)
		}
	}
	if n := len(thinned(list, detail{20, 0.01})); n > 20 {
		t.Errorf("%d points of 20", n)
	}
}

// Components of an engine do not overlap, and those of a stream are below each other, in circles too.
func TestGraph(t *testing.T) {
	chain := func(f *report.Flow, names ...string) {
		for i, name := range names {
			f.Components = append(f.Components, report.FlowPart{Name: name})
			if i > 0 {
				f.Links = append(f.Links, report.FlowLink{From: names[i-1], Out: "out", To: name, In: "in"})
			}
		}
	}
	var f report.Flow
	chain(&f, "ambient", "inlet", "fan", "hpc", "recuperator", "burner", "hpt", "lpt", "mixer", "nozzle")
	chain(&f, "bypass_duct", "cooler")
	f.Links = append(f.Links, report.FlowLink{From: "fan", Out: "bypass", To: "bypass_duct"},
		report.FlowLink{From: "cooler", To: "mixer"}, report.FlowLink{From: "hpt", To: "recuperator"})
	f.Components = append(f.Components, report.FlowPart{Name: "generator"})
	g := newGraph(f)
	taken := map[[2]int]string{}
	for _, p := range g.parts {
		at := [2]int{p.row, p.col}
		if taken[at] != "" || p.row < 0 || p.col < 0 || p.row >= g.rows || p.col >= g.wide {
			t.Errorf("%s at %v with %q", p.name, at, taken[at])
		}
		taken[at] = p.name
	}
	back := 0
	for _, e := range g.edges {
		if e.back {
			back++
		} else if g.parts[e.to].row <= g.parts[e.from].row {
			t.Errorf("%s does not stand below %s", g.parts[e.to].name, g.parts[e.from].name)
		}
	}
	if back != 1 || g.parts[g.index["cooler"]].col != 1 || g.parts[g.index["nozzle"]].col != 0 {
		t.Errorf("%d streams go back; %+v", back, g.parts)
	}
}
