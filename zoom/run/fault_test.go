package run_test

// Each thing that goes wrong with solvers, next to runs that go well: the
// study ends, the others' results are there, the failure has the right class,
// and nothing is left (see newPool).

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

type failing struct {
	script string
	class  event.Class
	reason string // part of the message
}

func testFaults(t *testing.T, p *pool.Pool, faults []failing) []run.Outcome {
	t.Helper()
	jobs := []run.Job{job("good", 3, "iterate 3; sleep 20ms; iterate 3")}
	for i, f := range faults {
		jobs = append(jobs, job(fmt.Sprintf("bad%d", i), 2, f.script))
	}
	p.Workers = 4
	out := runAll(t, p, jobs...)
	if good := out[0]; !good.OK() || good.Result.Numbers["y"] != 9 {
		t.Errorf("beside them: %v", good.Err)
	}
	for i, f := range faults {
		bad := out[i+1]
		if bad.Class != f.class || !strings.Contains(bad.Result.Message, f.reason) {
			t.Errorf("%q: %s: %s", f.script, bad.Class, bad.Result.Message)
		}
		if (bad.Err == nil) != bad.OK() {
			t.Errorf("%q: class %s with error %v", f.script, bad.Class, bad.Err)
		}
		var end plugin.Ending
		if err := plugin.ReadFile(bad.Folder, plugin.ResultFile, &end); err != nil || end.Class != f.class {
			t.Errorf("%q: in the run folder: %v, %v", f.script, end.Class, err)
		}
	}
	return out[1:]
}

func TestFaults(t *testing.T) {
	faults := []failing{
		{"iterate 3; crash", event.Crashed, "exit status 7"},
		{"iterate 3; kill", event.Killed, "killed"},
		{"iterate 3; nan", event.BadOutput, "y is NaN"},
		{"huge 1000000", event.BadOutput, "larger than max"},
		{"iterate 3; garbage; iterate 3", event.Converged, ""},
		{"child; crash", event.Crashed, ""}, // those below are of long tests
		{"iterate 3; panic", event.Crashed, "scripted panic"},
		{"abort", event.Crashed, "SIGABRT"},
		{"fail no mesh there", event.Crashed, "no mesh there"},
		{"missing", event.BadOutput, "y is missing"},
		{"extra", event.BadOutput, "z is no output"},
		{"bounds", event.BadOutput, "y is -1"},
		{"class splendid", event.BadOutput, "splendid"},
		{"class stalled; nan", event.Stalled, ""},
		{"class not_converged", event.NotConverged, ""},
		{"huge 100000", event.Converged, ""},
		{"iterate 3; truncate; iterate 3", event.Converged, ""},
		{"infinite", event.Converged, ""},
		{"child; iterate 1", event.Converged, ""},
		{"child; kill", event.Killed, ""},
	}
	pools := map[string]*pool.Pool{"processes of their own": newPool(t)}
	if testenv.IsLong(t) {
		pools["processes that make run after run"] = warmPool(t)
	} else {
		faults = faults[:6]
	}
	for name, p := range pools {
		t.Run(name, func(t *testing.T) {
			p.Host.MaxMessage = 4 << 20
			watch(t, p)
			testFaults(t, p, faults)
		})
	}
}

// A solver that answers more than it describes is refused by that, not by the memory that is there.
func TestAnswerBeyondDescription(t *testing.T) {
	testenv.Long(t, "answers of hundreds of megabytes")
	testFaults(t, without(t), []failing{
		{"huge 33000000", event.BadOutput, "larger than max"},
		{"huge 300000", event.BadOutput, "at most 262144"},
		{"huge 200000", event.Converged, ""},
	})
}

// A full disk ends the study, as no solver's fault, wherever it gets full.
func TestFullDisk(t *testing.T) {
	sizes := []string{"48k"}
	if testenv.IsLong(t) {
		sizes = []string{"16k", "48k", "100k"}
	}
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			p, fake := newFake(t, nil)
			study := t.TempDir()
			if _, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "none",
				study).CombinedOutput(); err != nil {
				testenv.NotHere(t, "no small disk can be mounted")
			}
			defer func() {
				if out, err := exec.Command("umount", study).CombinedOutput(); err != nil {
					t.Errorf("%s", out)
				}
			}()
			host, err := attempt.NewHost(study, fake.Registry(), launchtest.Name)
			must.OK(t, err)
			p.Host = host
			var jobs []run.Job
			for i := range 3 {
				jobs = append(jobs, job(fmt.Sprintf("j%d", i), 2, "iterate 2000; fail"))
			}
			_, err = p.Run(t.Context(), jobs)
			if !fault.Is(err) {
				t.Errorf("the study ended with %v", err)
			}
			noError(t, host.Close())
		})
	}
}

// So does one on which a solver alone fails: the run is not tried once more.
func TestFullDiskOfASolver(t *testing.T) {
	p := without(t)
	p.Policy = run.DefaultPolicy()
	out, err := p.Run(t.Context(), []run.Job{job("a", 2, "iterate 3; full")})
	if !fault.Is(err) || out[0].Attempts != 1 || out[0].Class != event.Crashed {
		t.Errorf("after %d attempts, %s, the study ended with %v", out[0].Attempts, out[0].Class, err)
	}
}

// A run that uses more memory than it may ends for that, and is not tried again.
func TestOutOfMemory(t *testing.T) {
	testenv.Long(t, "a solver that eats memory")
	if _, err := process.Table(); err != nil {
		testenv.NotHere(t, "memory cannot be limited")
	}
	p := newPool(t)
	p.Policy = run.DefaultPolicy()
	p.Limits.Allowance.Memory = 100 << 20
	out := testFaults(t, p,
		[]failing{
			{
				"iterate 3; eat 3000; iterate 3", event.OutOfMemory,
				"killed for memory: with all that it started it used more than the 0.105 GB",
			},
		})
	if out[0].Attempts != 1 {
		t.Errorf("%d attempts", out[0].Attempts)
	}
}

// What a solver has started in a session of its own does not outlive it, where the kernel sees to that.
func TestDaemonEnds(t *testing.T) {
	c, err := process.NewCage("test", process.Allowance{})
	if err != nil {
		testenv.NotHere(t, "no control groups")
	}
	c.Close()
	p := newPool(t)
	must.Value(p.Run(t.Context(), []run.Job{job("a", 2, "daemon; iterate 3")}))(t)
	if left := marked(strings.TrimPrefix(p.Program.Environment[len(p.Program.Environment)-1], markEnv+"=")); len(
		left) > 0 {
		t.Errorf("it is left: %q", left)
	}
}

// paced returns a clock that advances by a step whenever this process gets a turn, at most once a millisecond. Where
// others keep the processor for a second, hardly any of its time passes, and a solver that had no turn either is not
// taken for silent.
func paced(t *testing.T, step time.Duration) clock.Clock {
	at := clock.NewManual(clock.Real.Now())
	pace(t, at, step)
	return at
}

// pace advances a clock so until stop is called or the test ends.
func pace(t *testing.T, at *clock.Manual, step time.Duration) (stop context.CancelFunc) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	t.Cleanup(func() { <-done })
	go func() {
		defer close(done)
		for clock.Sleep(ctx, clock.Real, time.Millisecond) == nil {
			at.Advance(step)
		}
	}()
	return stop
}

func TestHungAndDeaf(t *testing.T) {
	p := newPool(t)
	p.Clock = paced(t, time.Millisecond)
	p.Limits = attempt.Limits{Hung: 300 * time.Millisecond, Grace: 200 * time.Millisecond}
	faults := []failing{
		{"iterate 40 20ms", event.Converged, ""}, // takes longer than the limit, but is heard
		{"child; deaf; hang", event.Hung, "did not stop"},
		{"iterate 3; hang", event.Hung, "nothing heard"},
		{"deaf; iterate 3; hang", event.Hung, "did not stop"},
	}
	if !testenv.IsLong(t) {
		faults = faults[:3]
	}
	testFaults(t, p, faults)
}

func TestTimeout(t *testing.T) {
	for _, f := range []failing{
		{"iterate 100000 5ms", event.Timeout, "not ready after"},
		{"deaf; iterate 100000 5ms", event.Timeout, "did not stop"},
	} {
		p, deaf := newPool(t), f.reason == "did not stop"
		p.Clock = paced(t, time.Millisecond)
		p.Limits = attempt.Limits{Wall: 200 * time.Millisecond, Grace: time.Minute}
		if deaf {
			p.Limits.Grace = 200 * time.Millisecond
		}
		if out := testFaults(t, p, []failing{f}); !deaf && out[0].Result.Numbers["y"] != 4 {
			t.Error("the result of a solver that was stopped is lost")
		}
	}
}

// A machine that is suspended for a minute suspends its solvers, too: no limit ends them for it.
func TestSuspendedMachine(t *testing.T) {
	p := without(t)
	at := clock.NewManual(clock.Real.Now())
	p.Clock, p.Pulse = at, at
	p.Limits = attempt.Limits{Hung: 20 * time.Second, Wall: 50 * time.Second}
	said := ""
	p.Observe = func(e event.Event) {
		if e.Values["iteration"] == 2 && said == "" {
			noError(t, at.AwaitPending(t.Context(), 3)) // pulse and limits
			at.Advance(time.Minute)
		}
		if e.Kind == event.Message {
			said += e.Text
		}
	}
	out := runAll(t, p, job("a", 2, "iterate 2; sleep 200ms; iterate 3"))
	if !out[0].OK() || said != "Peregrine was suspended for 59s, which no limit counts" {
		t.Errorf("%s: %v; it says %q", out[0].Class, out[0].Err, said)
	}
}

// A suspension before the solver is asked does not prolong the run.
func TestSuspendedStart(t *testing.T) {
	t.Parallel()
	p := without(t)
	at, pulse := clock.NewManual(clock.Real.Now()), clock.NewManual(clock.Real.Now())
	p.Clock, p.Pulse = at, pulse
	p.Limits = attempt.Limits{Hung: 10_000 * time.Hour, Wall: time.Hour}
	p.Observe = func(e event.Event) {
		switch {
		case e.Kind == event.Started:
			pulse.Advance(10_000 * time.Hour)
		case e.Values["iteration"] == 2:
			pace(t, at, time.Minute)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // without a limit
	defer cancel()
	o := must.Value(p.Run(ctx, []run.Job{job("a", 2, "iterate 2; hang")}))(t)[0]
	if o.Class != event.Timeout {
		t.Errorf("%s: %v", o.Class, o.Err)
	}
}

// A plugin that is stopped by SIGSTOP answers nothing at all, not even go-plugin.
func TestFrozen(t *testing.T) {
	p := newPool(t)
	p.Limits = attempt.Limits{Hung: 300 * time.Millisecond, Grace: 200 * time.Millisecond}
	p.Observe = func(e event.Event) {
		if e.Values["iteration"] == 2 {
			freeze(t, filepath.Join(p.Host.Folder(), e.Run))
		}
	}
	out, err := p.Run(context.Background(), []run.Job{job("a", 1, "iterate 100000 5ms")})
	if err != nil || out[0].Class != event.Hung {
		t.Errorf("%v, %s: %v", err, out[0].Class, out[0].Err)
	}
}

func freeze(t *testing.T, folder string) {
	r, err := record.Read(folder)
	if err != nil {
		t.Error(err)
		return
	}
	noError(t, exec.Command("kill", "-STOP", fmt.Sprint(r.Process.PID)).Run())
}

func TestCancelStopsAll(t *testing.T) {
	p := newPool(t)
	p.Workers = 3
	ctx, cancel := context.WithCancel(context.Background())
	iterations := map[string]float64{}
	p.Observe = func(e event.Event) {
		if e.Kind == event.Iteration {
			iterations[e.Run] = e.Values["iteration"]
		}
		if iterations["b"] > 3 && iterations["c"] > 3 && iterations["d"] > 3 {
			cancel()
		}
	}
	out, err := p.Run(ctx, []run.Job{
		job("b", 2, "iterate 100000 20ms"),
		job("c", 2, "deaf; child; iterate 100000 20ms"),
		job("d", 2, "iterate 10; hang; iterate 1"),
		job("e", 2, ""),
	})
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
	want := []event.Class{event.Killed, event.Killed, event.Killed, run.NotRun}
	for i, o := range out {
		if o.Class != want[i] {
			t.Errorf("%s: %s: %v", o.Job.Name, o.Class, o.Err)
		}
	}
}

// The watchdog dies while it is needed: the runs go on, and the events that
// exist only in the files arrive all the same.
func TestWatchdogKilled(t *testing.T) {
	p := newPool(t)
	w := watch(t, p)
	flows := 0
	p.Observe = func(e event.Event) {
		if _, ok := e.Values["flow"]; ok {
			flows++
		}
		if e.Source == event.Plugin && e.Values["iteration"] == 15 {
			noError(t, exec.Command("kill", "-KILL", fmt.Sprint(w.Pid())).Run())
		}
	}
	out, err := p.Run(context.Background(), []run.Job{job("a", 2, "iterate 40 10ms")})
	if err != nil || !out[0].OK() {
		t.Fatal(err, out[0].Err)
	}
	if flows != 40 {
		t.Errorf("%d of 40 iterations came from the file", flows)
	}
}

const hostEnv = "PEREGRINE_TEST_HOST"

// beHost is the main program of a host that is killed: two runs in the folder
// that hostEnv names.
func beHost() {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	host, err := attempt.NewHost(os.Getenv(hostEnv), launchers, local.Name)
	fail(err)
	command, env, err := mock.Command()
	fail(err)
	p := pool.Pool{
		Runner: attempt.Runner{
			Host: host, Study: "orphans",
			Program: launch.Program{
				Command: command, Environment: append(env, hostEnv+"=", markEnv+"="+os.Getenv(markEnv)),
			},
			Terms: plugin.Terms{Finish: os.Getenv("FINISH") != "", Grace: time.Minute},
		},
		Workers: 2,
	}
	script := os.Getenv("SCRIPT")
	if strings.HasPrefix(script, "deaf") {
		p.Terms.Grace = 300 * time.Millisecond
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := study.Study{Pool: &p}
	if dir := os.Getenv("CACHE"); dir != "" {
		s.Cache, err = cache.Open(dir)
		fail(err)
	}
	_, err = s.Evaluate(ctx, []run.Job{job("a", 3, script), job("b", 4, script)})
	fail(host.Close())
	if ctx.Err() != nil {
		os.Exit(130)
	}
	fail(err)
}

// killHost starts a host, sends it a signal when both runs are at their
// tenth iteration, and waits for its plugins to end.
func killHost(t *testing.T, sig syscall.Signal, script string, finish bool) (folder, state string) {
	t.Helper()
	folder = t.TempDir()
	mark := newMark()
	self := must.Value(os.Executable())(t)
	cmd := exec.Command(self)
	tmp, err := os.MkdirTemp("", "pgt") // short, for sockets
	must.OK(t, err)
	defer func() { _ = os.RemoveAll(tmp) }()
	cmd.Env = append(os.Environ(), hostEnv+"="+folder, "SCRIPT="+script, markEnv+"="+mark, "TMPDIR="+tmp)
	if finish {
		cmd.Env = append(cmd.Env, "FINISH=1")
	}
	cmd.Stderr = os.Stderr
	process.OwnGroup(cmd) // as a shell does
	must.OK(t, cmd.Start())
	until(t, "iterations", func() bool { return iterations(folder, "a") >= 10 && iterations(folder, "b") >= 10 })
	must.OK(t, process.SignalGroup(cmd.Process, sig)) // the group, as a terminal does
	_ = cmd.Wait()
	noneLeft(t, mark, time.Minute)
	if left := entries(tmp); len(left) > 0 {
		t.Errorf("left in the temporary folder: %q", left)
	}
	return folder, cmd.ProcessState.String()
}

// iterations counts those in a run's event file.
func iterations(folder, run string) int {
	events, _ := event.Read(filepath.Join(folder, run, plugin.EventsFile))
	n := 0
	for _, e := range events {
		if e.Kind == event.Iteration {
			n++
		}
	}
	return n
}

// Ctrl-C reaches the host alone, which stops its runs in order. The solvers of a host that is killed stop by
// themselves, and one that reaches no checkpoint leaves no result.
func TestHostEnds(t *testing.T) {
	for i, c := range []struct {
		sig           syscall.Signal
		before, state string // of the script; of the host
		by            event.Source
		says          string
	}{
		{syscall.SIGKILL, "", "signal: killed", event.Plugin, "host has ended"},
		{syscall.SIGINT, "", "exit status 130", event.Host, ""},
		{syscall.SIGKILL, "deaf; ", "signal: killed", "", ""},
	} {
		if i > 0 && !testenv.IsLong(t) {
			break
		}
		folder, state := killHost(t, c.sig, c.before+"iterate 100000 5ms", false)
		if state != c.state {
			t.Errorf("%+v: the host ended with %s", c, state)
		}
		for _, run := range []string{"a", "b"} {
			var end plugin.Ending
			err := plugin.ReadFile(filepath.Join(folder, run), plugin.ResultFile, &end)
			if (err == nil) != (c.by != "") || err == nil && (end.Class != event.Killed || end.WrittenBy != c.by ||
				end.Numbers["y"] < 9 || !strings.Contains(end.Message, c.says)) {
				t.Errorf("%+v: %s: %+v, %v", c, run, end, err)
			}
		}
	}
}

func TestHostKilledRunsFinish(t *testing.T) {
	testenv.Long(t, "kills a host and waits for its solvers")
	cache := t.TempDir()
	t.Setenv("CACHE", cache)
	folder, _ := killHost(t, syscall.SIGKILL, "iterate 150 5ms; print done", true)
	for _, run := range []string{"a", "b"} {
		var end plugin.Ending
		must.OK(t, plugin.ReadFile(filepath.Join(folder, run), plugin.ResultFile, &end))
		if end.Class != event.Converged || end.Numbers["y"] < 9 || end.WrittenBy != event.Plugin {
			t.Errorf("%s: %+v", run, end)
		}
		// What gRPC had under way when the host died is lost: it was never acknowledged.
		if n := iterations(folder, run); n < 100 || n > 150 {
			t.Errorf("%s: %d of 150 iterations in the events", run, n)
		}
	}
	// Their answers are harvested once. Beside them stands the certificates' folder.
	harvested, err := study.Harvest(t.Context(), filepath.Dir(folder), launchers, openCache(t, cache))
	if err != nil || len(harvested) != 2 {
		t.Errorf("harvested %+v, %v", harvested, err)
	}
	list, err := openCache(t, cache).List()
	if err != nil || len(list) != 2 {
		t.Errorf("in the cache %+v, %v", list, err)
	}
	if second, err := study.Harvest(t.Context(), filepath.Dir(folder), launchers, openCache(t, cache)); err != nil ||
		len(second) != 0 {
		t.Errorf("harvested twice: %+v, %v", second, err)
	}
}
