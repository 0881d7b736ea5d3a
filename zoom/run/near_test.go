package run_test

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugintest"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Under a tolerance the answer of the nearest request of an earlier study counts; beyond it, with another setting, or of the same
// study, none does.
func TestMatch(t *testing.T) {
	kept := openCache(t, t.TempDir())
	first := newStudy(t, kept)
	first.Description = (&plugintest.Mock{}).Describe()
	like := func(name string, match float64) *run.Study {
		s := newStudy(t, kept)
		s.Pool.Study, s.Description, s.Match = name, first.Description, match
		s.Known = func(_, _ string, there []string) []string { return there }
		return s
	}
	_, runs := evaluate(t, like("one", 0.01), job("a", 1, ""), job("b", 2, ""), job("c", 1.001, ""))
	if runs != 3 {
		t.Errorf("%d runs of a study that has no earlier one, want 3: its own answers do not count", runs)
	}
	for _, c := range []struct {
		x, match float64
		want     float64 // the request whose answer it gets; 0: its own
	}{
		{1, 0.01, 1}, {1.0002, 0.01, 1}, {1.0009, 0.01, 1.001}, {2.01, 0.01, 2}, {1.99, 0.01, 2},
		{1.2, 0.01, 0}, {1.0003, 0, 0}, {1.0004, 1e-5, 0}, {-1.0002, 0.01, 0},
	} {
		name := fmt.Sprintf("x%g-%g", c.x, c.match)
		out, runs := evaluate(t, like(name, c.match), job(name, c.x, ""))
		want := c.want
		if want == 0 {
			want = c.x
		}
		if got := out[0].Result.Numbers["y"]; got != want*want || (runs == 0) != (c.want != 0) || out[0].Cached != (c.want != 0) {
			t.Errorf("%g within %g: %g after %d runs, want the answer of %g", c.x, c.match, got, runs, want)
		}
	}
	_, runs = evaluate(t, like("settings", 0.01), job("other-steps", 1, "iterate 2"))
	if runs != 1 {
		t.Errorf("%d runs of a request with another text, want 1", runs)
	}
	shaped := func(name string, gain float64, v ...float64) run.Job {
		j := job(name, 5, "")
		j.Request.Arrays = map[string][]float64{"shape": v}
		j.Request.Numbers["gain"] = gain
		return j
	}
	evaluate(t, like("shape", 0.01), shaped("s", 0.5, 10, 0, -2))
	for i, c := range []struct {
		job  run.Job
		runs int
	}{
		{shaped("t", 0.5, 10.05, 0.05, -2.05), 0}, {shaped("t", 0.5, 10, 0.2, -2), 1}, {shaped("t", 0.5, 10, 0), 1}, {shaped("t", 0.5001, 10, 0, -2), 1},
	} {
		if _, runs := evaluate(t, like(fmt.Sprint("shape", i), 0.01), c.job); runs != c.runs {
			t.Errorf("%v: %d runs, want %d", c.job.Request, runs, c.runs)
		}
	}
	var ends int
	failing := like("failing", 0.01)
	evaluate(t, failing, job("f", 3, "class stalled"))
	failing = like("failing-too", 0.01)
	failing.Pool.Observe = func(e event.Event) {
		if e.Kind == event.Ended {
			ends++
		}
	}
	if _, runs := evaluate(t, failing, job("g", 3.001, "class stalled")); runs != 1 || ends != 1 {
		t.Errorf("%d runs and %d ends beside a near request that failed, want its own", runs, ends)
	}
}
