package run_test

// Processes that take run after run: what they answer, leave and survive is that of fresh ones.

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// inTurn runs scripts one after the other and returns the outcomes, and the processes that made them.
func inTurn(t *testing.T, p *pool.Pool, scripts ...string) (out []run.Outcome, pids []int) {
	t.Helper()
	p.Workers = 1
	var jobs []run.Job
	for i, s := range scripts {
		jobs = append(jobs, job(fmt.Sprintf("job%d", i), float64(i), s))
	}
	out = runAll(t, p, jobs...)
	return out, convert.All(out, func(o run.Outcome) int { return pidOf(t, o.Folder) })
}

// pidOf is the process that a run folder names.
func pidOf(t *testing.T, folder string) int {
	t.Helper()
	r := must.Value(record.Read(folder))(t)
	return r.Process.PID
}

// A process makes run after run: each has its folder, its record, its events and its log, also behind a run that
// prints nothing.
func TestOneProcessMakesManyRuns(t *testing.T) {
	p := warmPool(t)
	watch(t, p)
	var events []event.Event
	p.Observe = func(e event.Event) { events = append(events, e) }
	out, pids := inTurn(t, p, "iterate 3", "class diverged; print two; iterate 3", "iterate 3", "print four; iterate 3")
	if len(slices.Compact(slices.Clone(pids))) != 1 {
		t.Errorf("processes %v", pids)
	}
	for i, o := range out {
		want := event.Converged
		if i == 1 {
			want = event.Diverged
		}
		if o.Class != want || o.Attempts != 1 || o.Result.Numbers["y"] != float64(i*i) {
			t.Errorf("%d: %s after %d attempts: %v", i, o.Class, o.Attempts, o.Result.Numbers)
		}
		log, err := os.ReadFile(filepath.Join(o.Folder, plugin.LogFile))
		word, n := []string{"", "two", "", "four"}[i], i%2*2
		if err != nil && n > 0 || word != "" && strings.Count(string(log), word) != n ||
			strings.Count(string(log), "\n") != n {
			t.Errorf("%d printed %q (%v)", i, log, err)
		}
		lines := 0
		for _, e := range events {
			if e.Run == o.Run && e.Source == event.Plugin && e.Kind == event.Iteration {
				lines++
			}
		}
		if lines != 3 {
			t.Errorf("%d reported %d iterations", i, lines)
		}
	}
}

// A process that dies while it waits is no fault of the run that it would have made.
func TestDiesWhileItWaits(t *testing.T) {
	p := warmPool(t)
	_, pids := inTurn(t, p, "iterate 3")
	process.Kill(process.Identify(pids[0]))
	p.Workers = 1
	out, err := p.Run(t.Context(), []run.Job{job("next", 2, "iterate 3")})
	if err != nil || !out[0].OK() || out[0].Attempts != 1 || pidOf(t, out[0].Folder) == pids[0] {
		t.Errorf("%v: %+v", err, out[0])
	}
}

// Where no other process can be started in its place, the run has failed for that, once.
func TestDiesAndNoneCanBeStarted(t *testing.T) {
	die := make(chan struct{})
	p, fake := fakeOf(t, &launchtest.Fake{
		Solver: func() plugin.Solver { return &mock.Mock{Reusable: true} },
		Script: func(start int) launchtest.Script {
			if start == 1 {
				return launchtest.Script{Die: die, Ending: launch.Ending{Text: "exit status 3", Fault: true}}
			}
			return launchtest.Script{Refuse: errors.New("no node is free")}
		},
	})
	p.Workers = 1
	if out, err := p.Run(t.Context(), []run.Job{job("first", 1, "iterate 1")}); err != nil || !out[0].OK() {
		t.Fatal(err, out[0].Err)
	}
	time.AfterFunc(100*time.Millisecond, func() { close(die) })
	out, err := p.Run(t.Context(), []run.Job{job("second", 1, "sleep 10s")})
	if err != nil || out[0].Class != event.Crashed || !strings.Contains(out[0].Err.Error(), "no node is free") ||
		fake.Starts() != 2 {
		t.Errorf("%v after %d starts: %+v", err, fake.Starts(), out[0])
	}
}

// One that holds on to memory, or to processes that it started, is not used again.
func TestSpentProcesses(t *testing.T) {
	scripts := map[string]bool{"child; iterate 1": true, "iterate 1": false}
	if testenv.IsLong(t) {
		scripts["eat 400"] = true
	}
	for script, holds := range scripts {
		p := warmPool(t)
		if process.Used(os.Getpid()).Resident == 0 {
			testenv.NotHere(t, "open files of a process cannot be listed")
		}
		_, pids := inTurn(t, p, "iterate 1", script, "iterate 1")
		if pids[0] != pids[1] || (pids[1] == pids[2]) == holds {
			t.Errorf("%q: processes %v", script, pids)
		}
	}
}

// One whose program was written after its start may be of other files than the next run is cached for.
func TestProcessOfAChangedProgram(t *testing.T) {
	p := warmPool(t)
	began := 0
	p.Program.Watch = func() func() error {
		began++
		if began > 1 {
			return func() error { return nil }
		}
		return func() error { return errors.New("it was written") }
	}
	_, pids := inTurn(t, p, "iterate 1", "iterate 1", "iterate 1")
	if pids[0] == pids[1] || pids[1] != pids[2] {
		t.Errorf("processes %v", pids)
	}
}

// A command names its run: one that came too late for it does not hit the next run of the process.
func TestCommandForAnotherRun(t *testing.T) {
	p := warmPool(t)
	p.Workers = 1
	done, asked := make(chan []run.Outcome), filepath.Join(t.TempDir(), "asked")
	go func() {
		out, _ := p.Run(t.Context(), []run.Job{job("first", 1, "iterate 1"), job("second", 2, "wait "+asked)})
		done <- out
	}()
	var list map[string]record.Run
	until(t, "the second run", func() bool {
		runs := must.Value(record.ListRuns(t.Context(), filepath.Dir(p.Host.Folder()), launchers))(t)
		list = maps.Collect(func(yield func(string, record.Run) bool) {
			for _, r := range runs {
				if !yield(r.Name, r) {
					return
				}
			}
		})
		return list["second"].Running && !list["first"].Running // which was read earlier
	})
	if first := list["first"]; first.Running || first.Class != event.Converged || first.PID != list["second"].PID {
		t.Errorf("the first run is %+v", first)
	}
	late := list["first"]
	late.Running = true // as it was seen a moment ago
	if err := record.Stop(t.Context(), late, launchers, "a test"); err == nil {
		t.Error("the first run was stopped after its end")
	}
	must.OK(t, os.WriteFile(asked, nil, 0o600))
	if out := <-done; !out[1].OK() {
		t.Errorf("the second run: %v", out[1].Err)
	}
}

// With Fresh every run has a process of its own; so have runs of other programs.
func TestFresh(t *testing.T) {
	p := warmPool(t)
	p.Fresh = true
	if _, pids := inTurn(t, p, "", ""); pids[0] == pids[1] {
		t.Errorf("processes %v", pids)
	}
	if _, pids := inTurn(t, newPool(t), "", ""); pids[0] == pids[1] {
		t.Errorf("processes %v of a solver that is not reusable", pids)
	}
	q := warmPool(t)
	_, first := inTurn(t, q, "iterate 1")
	q.Program.Environment = append(slices.Clone(q.Program.Environment), "OTHER=1")
	q.Workers = 1
	out, err := q.Run(t.Context(), []run.Job{job("other", 1, "")})
	if err != nil || pidOf(t, out[0].Folder) == first[0] {
		t.Errorf("%v: the process of another environment made the run", err)
	}
}

// A log is cut in later runs, too.
func TestWarmLogIsLimited(t *testing.T) {
	p := warmPool(t)
	p.Host.LogLimit = 1000
	out, pids := inTurn(t, p, "iterate 1", strings.Repeat("print "+strings.Repeat("x", 50)+"; ", 100), "iterate 1")
	log, err := os.ReadFile(filepath.Join(out[1].Folder, plugin.LogFile))
	if err != nil || len(log) > 2000 || !strings.Contains(string(log), "log-limit") || pids[0] != pids[1] {
		t.Errorf("%d bytes, processes %v: %v", len(log), pids, err)
	}
}
