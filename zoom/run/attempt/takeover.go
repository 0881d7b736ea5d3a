package attempt

// Runs that an earlier host of the study has left. Their solvers continue for a while without a host. The next host
// attaches to them instead of making the runs again.

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Orphan is a run whose host has ended, and whose process may live.
type Orphan struct {
	Record record.Record
	folder string
}

// Orphan returns the latest attempt at a task, if its host has left it without a result; nil: none was left. A run that
// was steered is not taken over: the commands are in the memory of its host.
func (r *Runner) Orphan(t Task) *Orphan {
	folder := ""
	for n := 1; n < record.MostAttempts; n++ {
		next := filepath.Join(r.Host.Folder(), record.AttemptName(t.Name, n))
		if _, err := os.Stat(next); err != nil {
			break
		}
		folder = next
	}
	if folder == "" || t.CacheKey == "" || t.Start != nil || t.Branch != nil || plugin.HasResult(folder) {
		return nil
	}
	rec, err := record.Read(folder)
	if p := rec.Process; err != nil || rec.Key != t.CacheKey || p.Launcher != r.Host.Launcher.Name() ||
		p.Host.Alive() || record.Touched(folder) {
		return nil
	}
	return &Orphan{Record: rec, folder: folder}
}

// takeOver attaches to a run that an earlier host has left, and follows it to its end; nil: it cannot.
func (r *Runner) takeOver(ctx context.Context, t Task, n int, may Permit, cause *event.Ref) *Attempt {
	from := may.Orphan
	limits := r.Limits.withDefaults()
	ctxStart, cancel := context.WithTimeout(ctx, limits.Start)
	defer cancel()
	task, err := r.Host.Launcher.Attach(ctxStart, from.Record.Process.Handle)
	if err != nil {
		r.Logger.Debug("run not taken over", "folder", from.folder, "err", err)
		return nil
	}
	p := &Process{Task: task, contents: run.ContentsOf(r.Program.Command)}
	s := &stream{
		study: r.Study, run: filepath.Base(from.folder), component: t.Component, seeks: t.Seeks, attempt: n,
		machine: cmp.Or(may.Slot, record.LocalSlot), clock: r.Clock, deliver: r.Deliver,
	}
	if err = p.greet(ctxStart, r.Terms, limits.Reply); err == nil {
		if !madeBy(from.folder, p.Description.WithDefaults(t.Request)) {
			err = fmt.Errorf("another request")
		} else {
			err = s.open(from.folder)
		}
	}
	if err != nil {
		r.Logger.Debug("run not taken over", "folder", from.folder, "err", err)
		p.Stop(limits.Grace)
		return nil
	}
	task.Turn(from.folder)
	r.Host.enter(p, from.folder)
	a := &attempt{
		Runner: r, task: t, may: may, run: s.run, folder: from.folder, stream: s, started: from.Record.Process.Started,
		cause: cause, record: from.Record, taken: p,
	}
	a.seen = s.goOn(from.folder, r.Recall)
	return a.make(ctx, n)
}

// goOn makes the stream continue the events in a run folder. It returns the number of the solver's last event there.
// The events are recalled to the monitor, which has not seen them.
func (s *stream) goOn(folder string, recall func(event.Event)) (seen int64) {
	events, _ := event.Read(filepath.Join(folder, plugin.EventsFile)) // damaged lines are left out
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = map[string]int64{}
	for _, e := range events {
		switch e.Source {
		case event.Host:
			s.seq = e.Seq
			if e.Kind == event.Started {
				s.started = e.Ref()
			}
		case event.Plugin:
			s.begun, seen = true, e.Seq
			s.reported.note(e)
		case event.File:
			s.read[e.File] = e.Seq
		}
		recall(e)
	}
	return seen
}

// follow follows the run that was taken over, and returns the verdict.
func (a *attempt) follow(ctx context.Context, req plugin.Request) (v verdict) {
	a.process = a.taken
	defer func() {
		a.used = a.process.spent()
		a.fetch(a.process, v.class)
		a.process.Stop(a.Limits.Grace)
	}()
	at := a.process.Task.Place()
	a.stream.fromHost(event.Message, fmt.Sprintf("taken over from process %d, which started it, as %v",
		a.record.Process.Host.PID, at), nil)
	a.record.Process.Handle, a.record.Process.Host = a.process.Task.Handle(), process.Self()
	err := record.Write(a.folder, a.record)
	if err == nil {
		_, err = a.carry(ctx, req, a.process.Description) // they are there; the checkpoints come back
	}
	if err != nil {
		return a.startVerdict(ctx, err)
	}
	a.board(a.process.Description)
	defer a.watch(a.process.Description)()
	return a.runRequest(ctx, a.record.Request)
}

// ended reports whether a run that was taken over had just ended, or had been stopped for lack of a host.
func (a *attempt) endedBefore(err error) bool {
	return a.taken != nil && status.Code(err) == codes.FailedPrecondition
}

// clockStart returns the time from which the run's time counts.
func (a *attempt) clockStart() time.Time {
	if a.taken != nil {
		return a.started
	}
	return a.Clock.Now()
}
