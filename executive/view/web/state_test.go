package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
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

// The picture of a turbine's map is over its pressure ratio, and says where its axes are.
func TestPictureOfATurbine(t *testing.T) {
	m := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{Name: "hpt", PR: 5, Eff: 0.927}))(t)
	var text bytes.Buffer
	must.OK(t, must.Value(format.FindWriter("peregrine"))(t).Write(&text, m))
	f := NewFeed(t.TempDir(), clock.Real, func(text string) { t.Error(text) })
	f.keptChart("hpt", &report.KeptChart{Component: "hpt", Map: text.Bytes()})
	got := httptest.NewRecorder()
	f.state.picture(got, httptest.NewRequest(http.MethodGet, "/api/map?name=hpt", nil))
	svg := got.Body.String()
	must.Contain(t, svg, `data-over="PR"`, ">Efficiency<", `role="img"`)
	if strings.Contains(svg, " style=") {
		t.Error("a style, which the page's policy forbids")
	}
	_, frame, _ := strings.Cut(svg, `data-frame="`)
	var x0, x1, left, right, y0, y1, low, high float64
	must.Value(fmt.Sscan(frame, &x0, &x1, &left, &right, &y0, &y1, &low, &high))(t)
	if x0 > m.X[0] || x1 < numeric.Last(m.X) || left >= right || y0 >= y1 || low <= high {
		t.Errorf("axes %g to %g at %g to %g, %g to %g at %g to %g", x0, x1, left, right, y0, y1, low, high)
	}
	got = httptest.NewRecorder()
	f.state.picture(got, httptest.NewRequest(http.MethodGet, "/api/map?name=none", nil))
	must.Equal(t, http.StatusNotFound, got.Code)
}
