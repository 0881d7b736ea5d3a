package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

// A client that asks now and then has, after each answer, the state as a whole.
func TestChangesAddUp(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		s := newState("s")
		seen := map[string]json.RawMessage{}
		now := int64(0)
		for i := range rapid.IntRange(1, 300).Draw(t, "changes") {
			name := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "run"))
			if s.put(runs, name, Run{Run: name, Iteration: float64(i / 2)}) != nil {
				t.Fatal("a run is no JSON")
			}
			if !rapid.Bool().Draw(t, "asks") {
				continue
			}
			var whole, part struct{ Runs []json.RawMessage }
			text, _, _ := s.since(0)
			if json.Unmarshal(text, &whole) != nil {
				t.Fatalf("%s", text)
			}
			text, now, _ = s.since(now)
			if json.Unmarshal(text, &part) != nil {
				t.Fatalf("%s", text)
			}
			for _, r := range part.Runs {
				var run Run
				_ = json.Unmarshal(r, &run)
				seen[run.Run] = r
			}
			if len(seen) != len(whole.Runs) {
				t.Fatalf("%d runs were seen, there are %d", len(seen), len(whole.Runs))
			}
			for _, r := range whole.Runs {
				var run Run
				_ = json.Unmarshal(r, &run)
				if string(seen[run.Run]) != string(r) {
					t.Fatalf("run %s: seen %s, it is %s", run.Run, seen[run.Run], r)
				}
			}
		}
	})
}

// A thinned curve keeps the peaks, in a bounded number of points.
func TestThinnedCurveKeepsPeaks(t *testing.T) {
	h := newHistories()
	h.begin("r")
	for i := range 100_000 {
		y := math.Sin(float64(i) / 13)
		if i == 31_234 {
			y = 77
		}
		h.add("r", map[string]float64{"iteration": float64(i), "residual": y})
	}
	c := h.of("r", nil)["residual"]
	if len(c.X) > most || len(c.X) < most/4 || !c.Thinned || len(c.X) != len(c.Y) {
		t.Fatalf("%d points, thinned %v", len(c.X), c.Thinned)
	}
	found := false
	for i := range c.X {
		found = found || c.X[i] == 31_234 && c.Y[i] == 77
		if i > 0 && c.X[i] < c.X[i-1] {
			t.Fatalf("the iteration decreases at point %d", i)
		}
	}
	must.Equal(t, true, found)
}

// The lines of a turbine's map are over its pressure ratio, as its operating points are.
func TestLinesOfATurbine(t *testing.T) {
	m := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{Name: "hpt", PR: 5, Eff: 0.927}))(t)
	var text bytes.Buffer
	must.OK(t, must.Value(format.FindWriter("peregrine"))(t).Write(&text, m))
	f := NewFeed(t.TempDir(), clock.Real, func(text string) { t.Error(text) })
	f.lines(&report.KeptChart{Component: "hpt", Map: text.Bytes()})
	lines := f.charts["hpt"].Lines
	if len(lines) != len(m.Nc) {
		t.Fatalf("%d lines of %d", len(lines), len(m.Nc))
	}
	for _, l := range lines {
		if l.PR[0] != m.X[0] || numeric.Last(l.PR) != numeric.Last(m.X) || l.Wc[0] <= 0 {
			t.Errorf("Nc %g from PR %g to %g, flow %g", l.Nc, l.PR[0], numeric.Last(l.PR), l.Wc[0])
		}
	}
}
