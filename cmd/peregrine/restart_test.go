package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// localHost is a host of this machine, and what closes it.
func localHost(t *testing.T, folder string) (*run.Host, func()) {
	t.Helper()
	host, err := run.NewHost(folder, launchers, local.Name)
	must.OK(t, err)
	return host, func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A run that is killed goes on from its last checkpoint, and gives the answer of one
// that was left alone to the last bit.
func TestKilledRunsGoOn(t *testing.T) {
	testenv.Long(t, "kills runs of each solver")
	t.Parallel()
	for name, coarse := range coarseSettings {
		t.Run(name, func(t *testing.T) {
			program, err := solvers(t).Program(t.Context(), name)
			must.OK(t, err)
			host, closeHost := localHost(t, t.TempDir())
			defer closeHost()
			killed, first := false, map[string]float64{} // first iteration by run
			p := &run.Pool{Host: host, Program: program, Study: "kill", Workers: 1, Policy: run.DefaultPolicy()}
			p.Observe = func(e event.Event) {
				if e.Kind != event.Iteration || e.Source != event.Plugin {
					return
				}
				n := e.Values["iteration"]
				if _, ok := first[e.Run]; !ok {
					first[e.Run] = n
				}
				if folder := filepath.Join(host.Folder(), e.Run); e.Run == "killed" && n >= 300 && !killed {
					killed = true
					record, err := run.ReadRecord(folder)
					if err != nil {
						t.Error(err)
						return
					}
					if p, err := os.FindProcess(record.Process.PID); err != nil || p.Kill() != nil {
						t.Errorf("process %d cannot be killed: %v", record.Process.PID, err)
					}
				}
			}
			request := e3Point(t, coarse, 9, 800)
			out, err := p.Run(context.Background(), []run.Job{{Name: "whole", Request: request}, {Name: "killed", Request: request}})
			must.OK(t, err)
			retried := out[1]
			from := int(first[retried.Run])
			if out[0].Attempts != 1 || retried.Attempts != 2 || from < 220 || from%200 != 20 {
				t.Fatalf("%d and %d attempts, the last began with iteration %d; want 1, 2 and one behind a checkpoint, such as 220", out[0].Attempts, retried.Attempts, from)
			}
			same := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
			if diff := cmp.Diff(out[0].Result, retried.Result, same); diff != "" || out[0].Result.Numbers[zoom.OutW] == 0 {
				t.Errorf("the run that went on differs: %s", diff)
			}
			if _, err := os.Stat(filepath.Join(retried.Folder, "history.dat")); err != nil {
				t.Error(err)
			}
		})
	}
}

// A study that was interrupted is taken up by the next one where it was: its runs go on
// from their checkpoints, once, and answer to the last bit as if nothing had happened.
func TestInterruptedStudyGoesOn(t *testing.T) {
	testenv.Long(t, "runs three studies")
	t.Parallel()
	program, err := solvers(t).Program(t.Context(), "bladerow")
	must.OK(t, err)
	work := t.TempDir()
	job := run.Job{Name: "point", Request: e3Point(t, coarseSettings["bladerow"], 9, 800)}
	// study runs the job with an own host and cache, until its iteration if that is not
	// 0, and returns the outcome and the first iteration that it told.
	study := func(name string, until float64) (run.Outcome, float64) {
		t.Helper()
		host, closeHost := localHost(t, filepath.Join(work, name))
		defer closeHost()
		cache, err := cache.Open(t.TempDir())
		must.OK(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		first := 0.0
		p := &run.Pool{Host: host, Program: program, Study: name, Workers: 1, Policy: run.DefaultPolicy()}
		p.Observe = func(e event.Event) {
			if e.Kind != event.Iteration || e.Source != event.Plugin {
				return
			}
			if first == 0 {
				first = e.Values["iteration"]
			}
			if until > 0 && e.Values["iteration"] >= until {
				cancel()
			}
		}
		out, err := (&run.Study{Pool: p, Cache: cache}).Evaluate(ctx, []run.Job{job})
		if (err != nil) != (until > 0) {
			t.Fatal(err)
		}
		return out[0], first
	}
	if cut, _ := study("1", 300); cut.Class != event.Killed {
		t.Fatalf("interrupted: %s", cut.Class)
	}
	resumed, first := study("2", 0)
	if first <= 300 {
		t.Errorf("it went on from iteration %g; it was interrupted behind 300", first)
	}
	whole, first := study("3", 0)
	if first != 20 {
		t.Errorf("the third study began with iteration %g: what the first left was taken up twice", first)
	}
	if diff := cmp.Diff(whole.Result, resumed.Result); diff != "" || whole.Result.Numbers[zoom.OutW] == 0 {
		t.Errorf("the study that went on differs: %s", diff)
	}
}
