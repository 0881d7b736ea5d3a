//go:build unix

package watch

import (
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// BenchmarkOnce judges a log of OpenFOAM's: parsing, and the state at every fiftieth part of the run. The metric goes by the processor's
// time, so that others on the machine do not count.
func BenchmarkOnce(b *testing.B) {
	text := log(20000, 0.0001, "1e-4", ends)
	path := write(b, filepath.Join(b.TempDir(), "log"), text)
	b.SetBytes(int64(len(text)))
	began := used()
	for b.Loop() {
		must.OK(b, Once([]string{path}, Options{}, func(Line) {}))
	}
	b.ReportMetric(float64(len(text)*b.N)/(used()-began).Seconds()/1e6, "MB/core-s")
}
