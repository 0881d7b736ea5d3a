package watchdog_test

import (
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog"
)

// Start, handshake, stream and end of the process.
func BenchmarkStart(b *testing.B) {
	host := hosting.NewHost(filepath.Join(b.TempDir(), "pki"))
	defer func() { _ = host.Close() }()
	for b.Loop() {
		p := must.Value(watchdog.Start(b.Context(), config(host)))(b)
		p.Close()
	}
}

// What watching adds to a run: Watch of a history of 300 lines and Unwatch.
func BenchmarkRun(b *testing.B) {
	s := start(b, nil)
	s.write2("a", 1, 300)
	spec := s.spec("a")
	spec.Interval = 0
	for b.Loop() {
		must.OK(b, s.Watch(spec))
		s.unwatch("a")
	}
}

// Lines that go from a file through the process to the host, per second.
func BenchmarkLines(b *testing.B) {
	s := start(b, nil)
	const lines = 20000
	s.write2("a", 1, lines)
	for b.Loop() {
		must.OK(b, s.Watch(s.spec("a")))
		s.unwatch("a")
	}
	b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
