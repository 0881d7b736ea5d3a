package run_test

// How runs end when their launcher fails, without processes.

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// newFake returns a pool of mock solvers in this process, which must not crash. When the
// test ends, none may be left.
func newFake(t testing.TB, script func(start int) launchtest.Script) (*pool.Pool, *launchtest.Fake) {
	t.Helper()
	return fakeOf(t, &launchtest.Fake{Solver: func() plugin.Solver { return &mock.Mock{} }, Script: script})
}

func fakeOf(t testing.TB, fake *launchtest.Fake) (*pool.Pool, *launchtest.Fake) {
	t.Helper()
	host := must.Value(attempt.NewHost(t.TempDir(), fake.Registry(), launchtest.Name))(t)
	t.Cleanup(func() {
		noError(t, host.Close())
		if left := fake.Living(); len(left) > 0 {
			t.Errorf("solvers left: %q", left)
		}
	})
	return &pool.Pool{
		Runner: attempt.Runner{
			Host: host, Program: launch.Program{Command: []string{"mock"}, Code: "1"}, Study: "test",
			Limits: attempt.Limits{Grace: time.Minute}, // each obeys
		},
	}, fake
}

// without is newFake where all goes well.
func without(t testing.TB) *pool.Pool {
	t.Helper()
	p, _ := newFake(t, nil)
	return p
}

// dying is a mock whose task dies at its first run, where there is a channel to close.
type dying struct {
	mock.Mock
	die chan struct{}
}

func (d *dying) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	if d.die == nil {
		return d.Mock.Run(ctx, r, emit)
	}
	close(d.die)
	<-ctx.Done()
	return plugin.Result{}, ctx.Err()
}

// mortal is a pool of one worker in this process of which the solvers of some starts are killed.
func mortal(t *testing.T, starts ...int) *pool.Pool {
	t.Helper()
	var die chan struct{}
	p, _ := fakeOf(t, &launchtest.Fake{
		Script: func(start int) launchtest.Script {
			if die = nil; slices.Contains(starts, start) {
				die = make(chan struct{})
			}
			return launchtest.Script{Die: die, Ending: launch.Ending{Text: "signal: killed"}}
		},
		Solver: func() plugin.Solver { return &dying{die: die} },
	})
	p.Workers = 1
	return p
}

// A start that fails is a failed attempt like any other; a program that cannot be
// started at all ends the study.
func TestStartsThatFail(t *testing.T) {
	p, fake := newFake(t, func(n int) launchtest.Script {
		switch n {
		case 1:
			return launchtest.Script{Refuse: errors.New("no node is free")}
		case 3:
			return launchtest.Script{
				Refuse: &launch.ProgramError{Command: []string{"mock"}, Err: errors.New("not installed there")},
			}
		}
		return launchtest.Script{}
	})
	p.Workers, p.Policy = 1, run.DefaultPolicy()
	out, err := p.Run(context.Background(), []run.Job{job("again", 2, ""), job("never", 2, ""), job("after", 2, "")})
	if o := out[0]; !o.OK() || o.Attempts != 2 || o.Run != "again~2" {
		t.Errorf("after a failed start: %+v", o)
	}
	var abort *run.AbortError
	if !errors.As(err, &abort) || abort.Job != "never" || !strings.Contains(err.Error(), "not installed there") {
		t.Errorf("error %v", err)
	}
	if out[2].Class != run.NotRun || fake.Starts() != 3 {
		t.Errorf("%s after %d starts", out[2].Class, fake.Starts())
	}
}

// A run is found and stopped through its launcher by the handle in its folder.
func TestRunsAreFoundByTheirHandle(t *testing.T) {
	p, fake := newFake(t, nil)
	outcomes := started(t, p, job("a", 2, "iterate 100000 1ms"))
	folder := filepath.Join(p.Host.Folder(), "a")
	was := must.Value(record.Read(folder))(t)
	var handle string
	of := was.Process
	if err := json.Unmarshal(of.Handle, &handle); err != nil || of.Launcher != launchtest.Name || handle != "1" ||
		of.Machine != "nowhere" {
		t.Errorf("record %+v, %v", was, err)
	}
	r := record.ReadRun(t.Context(), folder, fake.Registry())
	if !r.Running || r.Orphan || r.Err != nil {
		t.Errorf("%+v", r)
	}
	// whose launcher is not known may run
	if r := record.ReadRun(t.Context(), folder, launchers); r.Running || !r.Unknown || !r.MayRun() || r.Class != "" ||
		r.Err == nil {
		t.Errorf("%+v", r)
	}
	gone, err := study.Collect(t.Context(), filepath.Dir(p.Host.Folder()), launchers, time.Now().Add(time.Hour),
		func(record.Run) bool { return false })
	if err != nil || len(gone) > 0 { // nor may its folder go
		t.Errorf("removed: %+v, %v", gone, err)
	}
	client, task, err := record.Attach(t.Context(), r, fake.Registry())
	must.OK(t, err)
	defer task.Release()
	noError(t, client.Stop(t.Context(), ""))
	if o := outcomes()[0]; o.Class != event.Killed || !o.Stopped {
		t.Errorf("%+v", o)
	}
	if r := record.ReadRun(t.Context(), folder, fake.Registry()); r.Running || r.Class != event.Killed {
		t.Errorf("%+v", r)
	}
}

// recoverCounter is a launcher that counts its calls of Recover.
type recoverCounter struct {
	launch.Launcher
	times *int
}

func (a recoverCounter) Attach(ctx context.Context, h launch.Handle) (launch.Task, error) {
	*a.times++
	return a.Launcher.Attach(ctx, h)
}

// Whether a run of a study goes on is found out without reading all of its runs.
func TestAnyRunning(t *testing.T) {
	p, fake := newFake(t, nil)
	var times int
	counted := launch.Registry{launchtest.Name: func(folder string) launch.Launcher {
		l := must.Value(fake.Registry().Open(launchtest.Name, folder))(t)
		return recoverCounter{l, &times}
	}}
	look := func(want bool, most int) {
		t.Helper()
		times = 0
		if got, err := record.AnyRunning(t.Context(), p.Host.Folder(), counted); err != nil || got != want ||
			times > most {
			t.Errorf("running %t after %d looks, want %t after %d: %v", got, times, want, most, err)
		}
	}
	jobs := []run.Job{job("a", 1, "iterate 100000 1ms"), job("b", 2, "iterate 100000 1ms"),
		job("c", 3, "iterate 100000 1ms")}
	p.Workers = len(jobs)
	outcomes := started(t, p, jobs...)
	look(true, 1)
	for _, j := range jobs {
		noError(t,
			record.Stop(t.Context(), record.ReadRun(t.Context(), filepath.Join(p.Host.Folder(), j.Name),
				fake.Registry()),
				fake.Registry(), "somebody"))
	}
	outcomes()
	look(false, 0) // each has its result
	folder := filepath.Join(p.Host.Folder(), "b")
	was := must.Value(record.Read(folder))(t)
	must.OK(t, os.Remove(filepath.Join(folder, plugin.ResultFile)))
	must.OK(t, record.Write(folder, was))
	look(false, 1)
	was.Process.Launcher = "unknown"
	must.OK(t, record.Write(folder, was))
	look(true, 0) // what cannot be known counts as running
}

// Commands that reach nobody.

// unheard is a launcher that finds runs and reaches none.
type unheard struct{ launch.Launcher }

func (u unheard) Attach(ctx context.Context, h launch.Handle) (launch.Task, error) {
	task, err := u.Launcher.Attach(ctx, h)
	return cut{task}, err
}

// cut is a task behind a connection to nobody.
type cut struct{ launch.Task }

func (cut) Conn() grpc.ClientConnInterface {
	conn, err := grpc.NewClient("unix:/nonexistent/socket", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	return conn
}

// A run whose host has died can be stopped, which is appended to its events and to the study's log, as nobody writes
// them. Who stops a run whose solver cannot be reached is not told that it was asked, and neither has a command that
// nobody got.
func TestStopOfAnOrphanIsLogged(t *testing.T) {
	p, fake := newFake(t, nil)
	outcomes := started(t, p, job("a", 2, "iterate 100000 1ms"))
	folder := filepath.Join(p.Host.Folder(), "a")
	was := must.Value(record.Read(folder))(t)
	was.Process.Host.Mark += "another process"
	must.OK(t, record.Write(folder, was))
	deaf := launch.Registry{}
	for name, open := range fake.Registry() {
		deaf[name] = func(study string) launch.Launcher { return unheard{open(study)} }
	}
	r := record.ReadRun(t.Context(), folder, fake.Registry())
	if !r.Orphan {
		t.Errorf("not an orphan: %+v", r)
	}
	if err := record.Stop(t.Context(), r, deaf, "nobody"); err == nil ||
		!strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("unheard: %v", err)
	}
	noError(t, record.Stop(t.Context(), r, fake.Registry(), "somebody"))
	if o := outcomes()[0]; !o.Stopped {
		t.Errorf("%+v", o)
	}
	for _, read := range []func() ([]event.Event, error){
		func() ([]event.Event, error) { return studylog.Read(p.Host.Folder()) },
		func() ([]event.Event, error) { return event.Read(filepath.Join(folder, plugin.EventsFile)) },
	} {
		events, err := read()
		noError(t, err)
		commands := 0
		for _, e := range events {
			if e.Kind != event.Command {
				continue
			}
			if commands++; e.Run != "a" || e.Name != "stop" || e.Text != "by somebody" {
				t.Errorf("event %+v", e)
			}
		}
		if commands != 1 {
			t.Errorf("%d commands of one that was taken", commands)
		}
	}
}
