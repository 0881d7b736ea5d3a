package web

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// The files of the page are small, and can be a part of an HTML file.
func TestAssetsAreSmall(t *testing.T) {
	size := 0
	must.OK(t, fs.WalkDir(assets, ".", func(path string, _ fs.DirEntry, err error) error {
		if text, readErr := assets.ReadFile(path); readErr == nil {
			size += len(text)
		}
		return err
	}))
	if size > 250_000 || size < 50_000 {
		t.Errorf("%d bytes", size)
	}
	for _, text := range []string{Script(), Asset("lib/uplot.js"), Asset("style.css")} {
		for _, end := range []string{"</script", "</style", "<!--", "import {", "export "} {
			if strings.Contains(text, end) {
				t.Errorf("%q in a file of the page", end)
			}
		}
	}
}

// The page shows in a browser the numbers of the snapshot, texts of a study as text, and writes no message to the
// console.
func TestPageInABrowser(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := serve(t, true)
	p.ended("fan-a", event.Converged)
	p.ended("fan-<img src=x onerror=alert(1)>", event.Diverged)
	p.record(event.Event{Kind: event.Finding, Run: "fan-a", Name: "rule", Severity: "warning", Text: "too <b>slow</b>"})
	p.snapshot(func(w *wanted) bool { return len(w.Warnings) == 1 && len(w.Runs) == 2 })
	shows(t, p.base+"/#"+p.token, "E3 &lt;script&gt;", "fan-a", "converged", "fan-&lt;img src=x onerror=alert(1)&gt;",
		"why\\u202e", "2 runs")
}
