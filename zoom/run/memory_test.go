package run_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// What a host and its pool hold when they have made 10,000 runs, and the most that their process held on the way.
func BenchmarkMemory(b *testing.B) {
	const runs = 10_000
	p := warmPool(b)
	p.Workers = 2
	for b.Loop() {
		jobs := make([]run.Job, runs)
		for i := range jobs {
			jobs[i] = job(fmt.Sprintf("m%d", i), float64(i), "")
		}
		out := must.Value(p.Run(b.Context(), jobs))(b)
		for _, o := range out {
			if !o.OK() {
				b.Fatal(o.Err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-held")
		b.ReportMetric(float64(process.Used(os.Getpid()).Memory)/1e6, "MB")
		b.ReportMetric(b.Elapsed().Seconds()*1e3/runs, "ms/run")
		runtime.KeepAlive(out)
	}
}
