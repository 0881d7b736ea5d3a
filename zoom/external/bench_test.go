//go:build linux

package external

import (
	"os/exec"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// BenchmarkRun measures what a described run costs beyond the time of its program: a template, an output, and a program that
// writes one line. The program alone is started beside it, in turns.
func BenchmarkRun(b *testing.B) {
	bench := &bench{&testing.T{}, b.TempDir()}
	bench.write("d.yaml", head+"files:\n  - {to: case.in, text: \"x = {{ x }}\\n\"}\n"+y, 0o644)
	bench.write("first.sh", "#!/bin/sh\nprintf 'y\\n9\\n' >out.csv\n", 0o755)
	d := bench.load()
	s := New(d)
	var whole, alone time.Duration
	for b.Loop() {
		folder := b.TempDir()
		begin := time.Now()
		r, err := s.Run(b.Context(), plugin.Request{Folder: folder, Numbers: map[string]float64{"x": 3}}, func(event.Event) {})
		whole += time.Since(begin)
		if err != nil || r.Class != event.Converged {
			b.Fatalf("%+v, %v", r, err)
		}
		begin = time.Now()
		cmd := exec.Command(d.steps[0].program, "3")
		cmd.Dir = folder
		must.OK(b, cmd.Run())
		alone += time.Since(begin)
	}
	b.ReportMetric(float64(whole-alone)/1e6/float64(b.N), "ms-over/run")
	b.ReportMetric(float64(alone)/1e6/float64(b.N), "ms-alone/run")
}
