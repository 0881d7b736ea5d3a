//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// BenchmarkProcess is `peregrine run` on the E3's three ratings without zoom, as a
// whole process. Targets: under 60 ms and under 60 MB.
func BenchmarkProcess(b *testing.B) {
	program := filepath.Join(b.TempDir(), "peregrine")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	peak := int64(0)
	for b.Loop() {
		cmd := exec.Command(program, "run", "--no-zoom", "--json", "../../config/examples/e3.yaml")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" {
			peak = max(peak, u.Maxrss) // kB
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/run")
	b.ReportMetric(float64(peak)/1000, "MB-peak")
}
