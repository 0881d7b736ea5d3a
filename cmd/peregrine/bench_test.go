//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// BenchmarkProcess is `peregrine run` on the E3's three ratings without zoom, as a
// whole process. Targets: under 60 ms and under 60 MB.
func BenchmarkProcess(b *testing.B) {
	program := filepath.Join(b.TempDir(), "peregrine")
	programtest.Go(b, ".", nil, "build", "-o", program, ".")
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

// BenchmarkWorkers compares two workers with one: on 24 throughflow runs of the E3's fan, whole processes with an
// empty cache; and on 16 equal runs of it, by a pool.
func BenchmarkWorkers(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "peregrine")
	programtest.Go(b, ".", nil, "build", "-o", program, ".")
	must.OK(b, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../config/examples")))
	text, err := os.ReadFile(filepath.Join(dir, "examples", "e3.yaml"))
	const zoom = "geometry: geometry/e3-fan.yaml}"
	if err != nil || !bytes.Contains(text, []byte(zoom)) {
		b.Fatal(err, "or no zoom in e3.yaml")
	}
	engine := filepath.Join(dir, "examples", "grid.yaml")
	grid := strings.Replace(string(text), zoom,
		"geometry: geometry/e3-fan.yaml, span: whole, speeds: [90 %, 95 %, 100 %], runs: 8}", 1)
	must.OK(b, os.WriteFile(engine, []byte(grid), 0o644))
	work := filepath.Join(dir, "work")
	b.Run("grid", func(b *testing.B) {
		compareWorkers(b, func(workers int) {
			cmd := exec.Command(program, "zoom", engine, "fan", "--work", work, "--cache", b.TempDir(), "--workers",
				strconv.Itoa(workers))
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		})
	})
	b.Run("equal", func(b *testing.B) {
		folders, _ := filepath.Glob(filepath.Join(work, "*", "*", plugin.ResultFile))
		if len(folders) < 24 {
			b.Skip("needs the runs of the grid")
		}
		record := must.Value(record.Read(filepath.Dir(folders[0])))(b)
		compareWorkers(b, func(workers int) { equalRuns(b, program, workers, record.Request) })
	})
}

// equalRuns makes a run 16 times.
func equalRuns(b *testing.B, program string, workers int, request plugin.Request) {
	host := must.Value(attempt.NewHost(b.TempDir(), cli.Launchers, local.Name))(b)
	pool := pool.Pool{
		Runner: attempt.Runner{
			Host:    host,
			Program: launch.Program{Command: []string{program, "serve", "solver", "throughflow"}, Code: "1"},
			Study:   "equal",
		},
		Workers: workers,
	}
	jobs := make([]run.Job, 16)
	for i := range jobs {
		jobs[i] = run.Job{Name: fmt.Sprintf("r%02d", i), Request: request}
	}
	out, err := pool.Run(b.Context(), jobs)
	for _, o := range out {
		if !o.OK() {
			b.Fatal(o.Err)
		}
	}
	must.OK(b, errors.Join(err, host.Close()))
}

// compareWorkers reports how much faster two workers are than one.
func compareWorkers(b *testing.B, work func(workers int)) {
	var took [2]time.Duration
	for b.Loop() {
		for n := range took {
			began := time.Now()
			work(n + 1)
			took[n] += time.Since(began)
		}
	}
	b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "times")
	b.ReportMetric(took[0].Seconds()/float64(b.N), "s-by-one")
}
