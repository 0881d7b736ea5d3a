package web

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// The page shows in a browser the numbers of the snapshot, texts of a study as text, and writes no message to the
// console.
func TestPageInABrowser(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := serve(t, true)
	p.ended("fan-a", event.Converged)
	p.ended("fan-<img src=x onerror=alert(1)>", event.Diverged)
	p.record(event.Event{Kind: event.Finding, Run: "fan-a", Name: "rule", Severity: "warning", Text: "too <b>slow</b>"})
	p.snapshot(func(w *wanted) bool { return len(w.Warnings) == 1 && len(w.Runs) == 2 })
	dom := testenv.Page(t, p.base+"/#"+p.token)
	must.Contain(t, dom, "E3 &lt;script&gt;", "fan-a", "converged", "fan-&lt;img src=x onerror=alert(1)&gt;",
		"why\\u202e", "2 runs")
}
