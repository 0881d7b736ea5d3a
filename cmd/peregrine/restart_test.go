package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// A run that is killed goes on from its last checkpoint, and gives the answer of one
// that was left alone to the last bit.
func TestKilledRunsGoOn(t *testing.T) {
	testenv.Long(t, "kills runs of each solver")
	t.Parallel()
	for name, coarse := range coarseSettings {
		t.Run(name, func(t *testing.T) {
			program := must.Value(solvers(t).Program(t.Context(), name))(t)
			host := must.Value(attempt.NewHost(t.TempDir(), cli.Launchers, local.Name))(t)
			defer func() { must.OK(t, host.Close()) }()
			killed, first := false, map[string]float64{} // first iteration by run
			p := &pool.Pool{
				Runner: attempt.Runner{
					Host: host, Program: program, Study: "kill",
				},
				Workers: 1, Policy: run.DefaultPolicy(),
			}
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
					record, err := record.Read(folder)
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
			jobs := []run.Job{{Name: "whole", Request: request}, {Name: "killed", Request: request}}
			out := must.Value(p.Run(context.Background(), jobs))(t)
			retried := out[1]
			from := int(first[retried.Run])
			if out[0].Attempts != 1 || retried.Attempts != 2 || from < 220 || from%200 != 20 {
				t.Fatalf(
					"%d and %d attempts, the last began with iteration %d; want 1, 2 and one behind a checkpoint, "+
						"such as 220", out[0].Attempts, retried.Attempts, from)
			}
			same := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
			if diff := cmp.Diff(out[0].Result, retried.Result, same); diff != "" ||
				out[0].Result.Numbers[machine.OutW] == 0 {
				t.Errorf("the run that went on differs: %s", diff)
			}
			if _, err := os.Stat(filepath.Join(retried.Folder, "history.dat")); err != nil {
				t.Error(err)
			}
		})
	}
}
