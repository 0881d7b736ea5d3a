package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

var launchers = launch.Registry{local.Name: local.Open}

const watchdogEnv = "PEREGRINE_TEST_WATCHDOG"

func TestMain(m *testing.M) {
	mock.Serve()
	if beMisbehaving() {
		return
	}
	if os.Getenv(watchdogEnv) != "" {
		watchdog.Serve()
		return
	}
	if os.Getenv(holderEnv) != "" {
		beHolder()
		return
	}
	if os.Getenv(studyEnv) != "" {
		beStudy()
		return
	}
	if os.Getenv(hostEnv) != "" {
		beHost()
		return
	}
	os.Exit(m.Run())
}

// newPool returns a pool of mock solvers whose study has a temporary folder. When the test
// ends, nothing may be left of it.
func newPool(t testing.TB) *pool.Pool { return poolOf(t, mock.Command) }

// warmPool is newPool with mocks that take run after run.
func warmPool(t testing.TB) *pool.Pool {
	p := poolOf(t, mock.Reusable)
	t.Cleanup(func() { // before what waits for runs is looked for
		noError(t, p.Host.Close())
	})
	return p
}

func poolOf(t testing.TB, mock func() (command, env []string, err error)) *pool.Pool {
	t.Helper()
	host := must.Value(attempt.NewHost(t.TempDir(), launchers, local.Name))(t)
	mark := newMark()
	t.Cleanup(func() {
		if left := entries(host.Launcher.(*local.Launcher).Scratch()); len(left) > 0 {
			t.Errorf("left in the scratch folder: %q", left)
		}
		noError(t, host.Close())
		if left := marked(mark); len(left) > 0 {
			t.Errorf("processes left: %q", left)
		}
		if _, err := os.Stat(host.Launcher.(*local.Launcher).Scratch()); err == nil {
			t.Errorf("the scratch folder %s is left", host.Launcher.(*local.Launcher).Scratch())
		}
	})
	command, env, err := mock()
	must.OK(t, err)
	return &pool.Pool{
		Runner: attempt.Runner{
			Host: host, Program: launch.Program{Command: command, Environment: append(env, markEnv+"="+mark)},
			Study: "test", Limits: attempt.Limits{Grace: 500 * time.Millisecond},
		},
	}
}

// watch joins a watchdog process to the pool's host.
func watch(t testing.TB, p *pool.Pool) *watchdog.Process {
	t.Helper()
	host := hosting.NewHost(filepath.Join(p.Host.Folder(), local.CertificateDir))
	w, err := watchdog.Start(context.Background(), watchdog.Config{
		Host: host, Command: p.Program.Command, Environment: []string{watchdogEnv + "=1"},
	})
	must.OK(t, err)
	p.Host.Follow(w, nil)
	t.Cleanup(func() {
		_ = p.Host.Close()
		w.Close()
		noError(t, host.Close())
	})
	return w
}

// runAll runs jobs in a pool, which must not fail as a whole.
func runAll(t testing.TB, p *pool.Pool, jobs ...run.Job) []run.Outcome {
	t.Helper()
	return must.Value(p.Run(t.Context(), jobs))(t)
}

// job is a point x with a script.
func job(name string, x float64, script string) run.Job {
	return run.Job{Name: name, Request: plugin.Request{
		Numbers: map[string]float64{"x": x}, Texts: map[string]string{"script": script},
	}}
}

// noError reports an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestPoolRunsJobs(t *testing.T) {
	p := without(t)
	var jobs []run.Job
	for i := range 6 {
		jobs = append(jobs, job(fmt.Sprintf("p%d", i), float64(i), "iterate 5"))
	}
	kinds := map[event.Kind]int{}
	p.Observe = func(e event.Event) {
		if e.Kind != event.Span { // short ones are left out: how many there are, the machine decides
			kinds[e.Kind]++
		}
	}
	out := runAll(t, p, jobs...)
	for i, o := range out {
		if !o.OK() || o.Err != nil || o.Result.Numbers["y"] != float64(i*i) || o.Attempts != 1 {
			t.Errorf("job %d: %+v", i, o)
		}
	}
	want := map[event.Kind]int{event.Planned: 6, event.Started: 6, event.Asked: 6, event.Iteration: 30,
		event.Result: 6, event.Ended: 6}
	must.Equal(t, want, kinds)
}

func TestRunFolderTellsAll(t *testing.T) {
	p := newPool(t)
	out := runAll(t, p, job("one", 3, "print hello; iterate 2"))
	folder := out[0].Folder
	want := []string{"events.jsonl", "history.txt", "result.json", "solver.log"}
	must.Equal(t, want, entries(folder))
	req := must.Value(record.Read(folder))(t)
	if diff := cmp.Diff(map[string]float64{"x": 3, "cfl": 2, "gain": 0.5}, req.Numbers); diff != "" {
		t.Errorf("request with defaults: %s", diff)
	}
	var end plugin.Ending
	must.OK(t, plugin.ReadFile(folder, plugin.ResultFile, &end))
	if end.Class != event.Converged || end.Numbers["y"] != 9 || end.WrittenBy != event.Host || end.Solver != "mock 1" {
		t.Errorf("result %+v", end)
	}
	events := must.Value(event.Read(filepath.Join(folder, plugin.EventsFile)))(t)
	var seen []string
	for _, e := range events {
		seen = append(seen, fmt.Sprintf("%s %s %d", e.Source, e.Kind, e.Seq))
	}
	if diff := cmp.Diff([]string{"host started 1", "host asked 2", "plugin iteration 1", "plugin iteration 2",
		"host result 3", "host ended 4"}, seen); diff != "" {
		t.Error(diff)
	}
	log, err := os.ReadFile(filepath.Join(folder, plugin.LogFile))
	if err != nil || strings.Count(string(log), "hello") != 2 {
		t.Errorf("log %q, %v", log, err)
	}
}

func TestRetryAndChange(t *testing.T) {
	p := mortal(t, 1, 9)
	p.Policy = run.DefaultPolicy()
	out := runAll(t, p,
		job("again", 2, "iterate 2"),
		job("slower", 3, "cfl 1.5"),
		job("never", 4, "fail"),
		job("hopeless", 5, "cfl 0.5"),
		job("both", 6, "cfl 1.5"), // as slower, whatever was killed
	)
	var got []string
	for _, o := range out {
		got = append(got, fmt.Sprintf("%s: %s after %d, y %g, cfl %g", o.Run, o.Class, o.Attempts,
			o.Result.Numbers["y"], o.Job.Request.Numbers["cfl"]))
	}
	want := []string{
		"again~2: converged after 2, y 4, cfl 0",
		"slower~2: converged after 2, y 9, cfl 1",
		"never~2: crashed after 2, y 16, cfl 0",
		"hopeless~2: diverged after 2, y 0, cfl 1",
		"both~3: converged after 3, y 36, cfl 1",
	}
	must.Equal(t, want, got)
}

// A retry is left out if one by the same cause was in vain: of a crash only while no run has an answer.
func TestFutileRetries(t *testing.T) {
	p := newPool(t)
	p.Clock = paced(t, time.Millisecond)
	p.Policy, p.Workers, p.Limits = run.DefaultPolicy(), 1, attempt.Limits{
		Wall: 300 * time.Millisecond, Grace: 100 * time.Millisecond}
	var warnings []string
	p.Observe = func(e event.Event) {
		if e.Kind == event.Warning {
			warnings = append(warnings, e.Run+": "+e.Text)
		}
	}
	var got []string
	for _, o := range runAll(t, p, job("a", 1, "fail"), job("b", 2, "fail"), job("c", 3, "fail"), job("good", 4, ""),
		job("d", 5, "fail"), job("slow", 6, "deaf; iterate 100000 5ms"),
		job("slower", 7, "deaf; iterate 100000 5ms")) {
		got = append(got, fmt.Sprint(o.Run, " ", o.Class))
	}
	must.Equal(t, []string{"a~2 crashed", "b crashed", "c crashed", "good converged", "d~2 crashed", "slow~2 timeout",
		"slower timeout"}, got)
	must.Equal(t, []string{
		"b: crashed: not retried, as the retry a~2 failed by the same cause; this holds for all further runs",
		"slower: timeout: not retried, as the retry slow~2 failed by the same cause; this holds for all further runs",
	}, warnings)
}

// A run that obeys the stop of a limit or a rule is retried like one that must be killed.
func TestObeyedStopsAreRetried(t *testing.T) {
	for _, c := range []struct {
		class   event.Class
		limits  attempt.Limits
		monitor attempt.Monitor
	}{
		{event.Timeout, attempt.Limits{Wall: 50 * time.Millisecond, Grace: time.Minute}, nil},
		{event.Crashed, attempt.Limits{Grace: time.Minute}, haltAt{event.Crashed}},
	} {
		p := without(t)
		p.Policy, p.Limits, p.Monitor = run.DefaultPolicy(), c.limits, c.monitor
		o := runAll(t, p, job("a", 1, "iterate 100000 5ms"))[0]
		if o.Class != c.class || o.Attempts != 2 || o.Stopped {
			t.Errorf("%s after %d, stopped %v: %v", o.Class, o.Attempts, o.Stopped, o.Err)
		}
	}
}

func TestNoSuchSolver(t *testing.T) {
	p := newPool(t)
	p.Workers = 1
	p.Program.Command = []string{"/nowhere/solver"}
	out, err := p.Run(context.Background(), []run.Job{job("a", 1, ""), job("b", 1, "")})
	var none *launch.ProgramError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), "/nowhere/solver") {
		t.Errorf("error %v", err)
	}
	if out[1].Class != run.NotRun {
		t.Errorf("the second job: %s", out[1].Class)
	}
}

// Programs that are no plugins, or plugins of another kind.
func TestNoPlugin(t *testing.T) {
	for name, c := range map[string]struct {
		script, reason string
	}{
		"fails": {"echo mesh file missing >&2; exit 3", "mesh file missing"},
		"talks": {"echo hello; sleep 100", "Unrecognized remote plugin message: hello"},
		"older": {"echo '1|1|unix|/nowhere|grpc|'; sleep 100",
			"it speaks version 1 of the plugin protocol, and this program version 2: build the plugin for that " +
				"version"},
		"newer":    {"echo '1|99|unix|/nowhere|grpc|'; sleep 100", "use a newer Peregrine"},
		"vanished": {"echo '1|2|unix|/nowhere|grpc|'; sleep 100", "no such file"},
		"tcp":      {"echo '1|2|tcp|127.0.0.1:1|grpc|'; sleep 100", "refused"},
	} {
		p := newPool(t)
		p.Program.Command = []string{"/bin/sh", "-c", c.script}
		out := runAll(t, p, job("a", 1, ""))
		if out[0].Class != event.Crashed || !strings.Contains(out[0].Err.Error(), c.reason) {
			t.Errorf("%s: %s: %v", name, out[0].Class, out[0].Err)
		}
	}
}

func TestBadRequestsAreNotRun(t *testing.T) {
	p := without(t)
	bad := job("bad", 2e6, "")
	bad.Request.Numbers["speed"] = 1
	out := runAll(t, p, bad, job("good", 1, ""))
	var request *plugin.RequestError
	if out[0].Class != run.NotRun || !errors.As(out[0].Err, &request) || len(request.Problems) != 2 {
		t.Errorf("%s: %v", out[0].Class, out[0].Err)
	}
	if !out[1].OK() {
		t.Errorf("the good job: %v", out[1].Err)
	}
	for _, jobs := range [][]run.Job{{job("../x", 1, "")}, {job("a", 1, ""), job("a", 2, "")}, {job("", 1, "")}} {
		if _, err := p.Run(context.Background(), jobs); err == nil {
			t.Errorf("accepted job names %v", jobs)
		}
	}
}

// haltAt stops a run at its third iteration.
type haltAt struct{ class event.Class }

func (h haltAt) Observe(e event.Event) *attempt.Halt {
	if e.Values["iteration"] < 3 {
		return nil
	}
	return &attempt.Halt{Class: h.class, Message: "rule residual_grows"}
}

func TestMonitorStopsRuns(t *testing.T) {
	for _, class := range []event.Class{event.Diverged, event.Converged} {
		p := without(t)
		p.Monitor = haltAt{class}
		out := runAll(t, p, job("a", 2, "iterate 100000 1ms"))
		if o := out[0]; o.Class != class || !strings.Contains(o.Result.Message, "residual_grows") ||
			o.Result.Numbers["y"] != 4 {
			t.Errorf("%s: %+v", class, o)
		}
	}
}

// BenchmarkOverhead measures what the executive adds to one run: start,
// handshake, description, transfer, result, stop, run folder; with a solver that does nothing.
func BenchmarkOverhead(b *testing.B) {
	overhead(b, newPool(b), "")
}

// BenchmarkOverheadWatched is the same with a history file that is watched.
func BenchmarkOverheadWatched(b *testing.B) {
	p := newPool(b)
	watch(b, p)
	overhead(b, p, "iterate 10")
}

// The same in processes that take run after run.
func BenchmarkOverheadWarm(b *testing.B) { overhead(b, warmPool(b), "") }

func BenchmarkOverheadWarmWatched(b *testing.B) {
	p := warmPool(b)
	watch(b, p)
	overhead(b, p, "iterate 10")
}

// BenchmarkRuns counts runs a second, watched, by two workers; also behind a cache, which lacks them all.
func BenchmarkRuns(b *testing.B) {
	for _, c := range []struct {
		name   string
		pool   func(testing.TB) *pool.Pool
		cached bool
	}{{"warm", warmPool, false}, {"fresh", newPool, false}, {"cache", warmPool, true}} {
		b.Run(c.name, func(b *testing.B) {
			p := c.pool(b)
			p.Workers = 2
			watch(b, p)
			evaluate := p.Run
			if c.cached {
				kept := must.Value(cache.Open(b.TempDir()))(b)
				evaluate = (&study.Study{Pool: p, Cache: kept}).Evaluate
			}
			const many = 100
			made := 0
			for b.Loop() {
				var jobs []run.Job
				for range many {
					jobs = append(jobs, job(fmt.Sprintf("r%d", made), float64(made), ""))
					made++
				}
				must.Value(evaluate(b.Context(), jobs))(b)
			}
			b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

func overhead(b *testing.B, p *pool.Pool, script string) {
	p.Workers = 1
	n := 0
	for b.Loop() {
		n++
		out, err := p.Run(context.Background(), []run.Job{job(fmt.Sprintf("r%d", n), 1, script)})
		if err != nil || !out[0].OK() {
			b.Fatal(err, out[0].Err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(n), "ms/run")
}

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
