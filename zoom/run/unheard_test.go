package run_test

// Commands that reach nobody.

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// unheard is a launcher that finds runs and reaches none.
type unheard struct{ launch.Launcher }

func (u unheard) Recover(ctx context.Context, h launch.Handle) (launch.Task, error) {
	task, err := u.Launcher.Recover(ctx, h)
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

// A run whose host has died can be stopped, which is appended to its events and to the study's log, as nobody writes them. Who
// stops a run whose solver cannot be reached is not told that it was asked, and neither has a command that nobody got.
func TestStopOfAnOrphanIsLogged(t *testing.T) {
	p, fake := newFake(t, nil)
	outcomes := started(t, p, job("a", 2, "iterate 100000 1ms"))
	folder := filepath.Join(p.Host.Folder(), "a")
	record, err := run.ReadRecord(folder)
	must.OK(t, err)
	record.Process.Host.Mark += "another process"
	must.OK(t, run.WriteRecord(folder, record))
	deaf := launch.Registry{}
	for name, open := range fake.Registry() {
		deaf[name] = func(study string) launch.Launcher { return unheard{open(study)} }
	}
	r := run.ReadRun(t.Context(), folder, fake.Registry())
	if !r.Orphan {
		t.Errorf("not an orphan: %+v", r)
	}
	if err := run.Stop(t.Context(), r, deaf, "nobody"); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("unheard: %v", err)
	}
	noError(t, run.Stop(t.Context(), r, fake.Registry(), "somebody"))
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
