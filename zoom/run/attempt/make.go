package attempt

// An attempt, from making its folder to writing its end there.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Attempt is an attempt that has ended; its stream of events is still open.
type Attempt struct {
	Outcome     run.Outcome
	Description plugin.Description
	LostOn      string // the machine that was lost, or had to be left; empty: none
	Left        bool   // it had to be left
	Cut         bool   // ... before there was a checkpoint from which the run continues
	Outlasted   bool   // ... after nearly all the time for which a machine is lent
	Resumes     bool   // runs of its solver go on from checkpoints
	Silences    Silences

	outrun string // the attempt that has ended first, so that this one was ended; empty: none
	stream *stream
	cause  *event.Ref // the event that led to its end; nil: the run ended by itself
}

// Fault returns the reason why events of the attempt could not be written; nil: they were.
func (a *Attempt) Fault() error { return a.stream.fault() }

// Close records the end of the attempt and whether another one follows or is under way. It returns the event of the
// end. The error is the reason why events may be missing in the run's folder.
func (a *Attempt) Close(follows bool) (*event.Ref, error) {
	end := a.end(follows)
	return end, a.stream.close(plugin.Lasting(a.Outcome.Wall))
}

// end records the end of the attempt, and whether another one follows. It returns the recorded event.
func (a *Attempt) end(follows bool) *event.Ref {
	s, o := a.stream, &a.Outcome
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pulse.last = s.pulse.clock.Now() // nobody has looked since the answer
	if s.dropped > 0 {
		s.putHost(event.Event{Kind: event.Message, Values: map[string]float64{"dropped": float64(s.dropped)},
			Text: fmt.Sprintf("%d events were not written", s.dropped)})
	}
	if !s.first.IsZero() {
		s.span(event.Event{Name: SpanIterate, Time: s.latest.UTC(),
			Wall:   s.latest.Sub(s.first).Round(time.Microsecond).Seconds(),
			Values: map[string]float64{ValueSilence: s.silences.Later.Round(time.Microsecond).Seconds()}})
	}
	return s.putHost(event.Event{Kind: event.Ended, Class: o.Class, Text: o.Result.Message, Wall: o.Wall.Seconds(),
		Follows: follows, Outrun: a.outrun, Folder: o.Folder, Seeks: s.seeks, Cause: a.cause})
}

// Attempt makes attempt number n at a task; the event cause led to it. It fails if the run folder cannot be made, which
// is a fault of the disk, not of the solver. Otherwise the caller closes the attempt. left is called with the fate of
// the preceding attempt, if no host has recorded its end.
func (r *Runner) Attempt(ctx context.Context, t Task, n int, may Permit, cause *event.Ref,
	left func(string)) (*Attempt, error) {
	if may.Orphan != nil {
		if a := r.takeOver(ctx, t, n, may, cause); a != nil {
			return a, nil
		}
	}
	started := r.Clock.Now()
	name, folder, err := record.NewRunFolder(r.Host.Folder(), t.Name)
	if err != nil {
		return nil, err
	}
	became, err := record.Fence(r.Host.Folder(), t.Name, name, started, r.Host.makes)
	if err != nil {
		return nil, err
	}
	if became != "" {
		left(became)
	}
	s := &stream{
		study: r.Study, run: name, component: t.Component, seeks: t.Seeks, attempt: n,
		machine: cmp.Or(may.Slot, record.LocalSlot), clock: r.Clock, pulse: pulse{clock: r.Pulse},
		deliver: r.Deliver, most: r.Limits.Events,
	}
	if err := s.open(folder); err != nil {
		return nil, err
	}
	a := &attempt{
		Runner: r, task: t, may: may, run: name, folder: folder, stream: s, started: started, cause: cause,
		record: record.Record{Parent: t.Start.Parent()},
	}
	if t.Judged.InForce() {
		a.record.Key = t.CacheKey
	}
	return a.make(ctx, n), nil
}

// make makes the attempt and writes its end into the run folder.
func (a *attempt) make(ctx context.Context, n int) *Attempt {
	a.Host.join(a.stream)
	defer a.Host.leave(a.stream)
	a.Host.disk.begin(a.folder)
	defer a.Host.disk.end(a.folder)
	req := a.task.Request
	req.Study, req.Run, req.Folder = a.Study, a.run, a.folder
	if a.taken == nil {
		a.stream.begin(a.folder, &a.may, a.cause)
	}
	if from := a.task.Start; from != nil {
		text := fmt.Sprintf("continues from checkpoint %s of %s, iteration %d", from.Checkpoint, from.Of, from.At)
		a.stream.fromHost(event.Message, text, nil)
	}
	var v verdict
	if a.taken != nil {
		v = a.follow(ctx, req)
	} else {
		v = a.execute(ctx, req)
	}
	if a.process == nil || closedWithin(a.process.Done(), 0) {
		atomic.Sweep(a.folder) // files that a killed solver was writing
	}
	a.recordCommands()
	if a.stopping != nil && v.class != event.Converged { // also of a solver that did not obey in time
		v.stopped = true
		if v.cause == nil {
			v.cause = a.stopping
		}
	}
	done := a.end(v, n)
	if v.class == event.Killed {
		done.outrun = outrunBy(ctx)
	}
	return done
}

// end is the attempt with its verdict, after the monitor has judged its answer.
func (a *attempt) end(v verdict, n int) *Attempt {
	done := &Attempt{LostOn: v.lostOn, Left: v.left, stream: a.stream}
	done.Silences = a.stream.longest()
	if a.process != nil {
		done.Description = a.process.Description
	}
	done.Resumes = done.Description.TakesRestart() && !a.Anew && a.task.Start == nil
	if v.leaves {
		a.cut(&v, done)
	}
	if v.class == event.Converged { // the values of a stopped run are no answer; rules must not judge them
		answer, _ := v.result.Finite()
		a.stream.fromHost(event.Result, v.reason, answer.Numbers)
	}
	// a rule rejects the answer
	if halt := a.stream.halted(); halt != nil && !halt.silent && v.class == event.Converged {
		v.class, v.reason, v.halted, v.beyond, v.cause = halt.Class, halt.Message, true, halt.Beyond, halt.Cause
	}
	done.cause = v.cause
	v.result.Class, v.result.Message = v.class, v.reason
	ending := plugin.NewEnding(v.result, a.started, a.Clock.Now(), event.Host, done.Description)
	ending.CPU, ending.Memory = a.used.CPU, a.used.Memory
	ending.Steered = slices.Concat(a.goneOn, a.task.Start.Steered(a.stream.steered()))
	if a.process == nil {
		ending.Solver = ""
	}
	if v.class == event.Converged {
		ending.Solution = done.Description.SolutionSum(a.folder)
	}
	o := &done.Outcome
	*o = run.Outcome{Job: a.task.Job, Answer: run.AnswerOf(ending, a.folder), Attempts: n,
		Maker: a.record.Process.Maker, Stopped: v.stopped, Steered: ending.Steered,
		Beyond: v.beyond || a.stream.commandedBeyond() || !a.task.Judged.InForce()}
	o.Study, o.Component, o.Halted = a.Study, a.task.Component, v.halted
	if !o.OK() {
		o.Err = o.Failure(v.reason, v.err)
	}
	if err := record.WriteEnd(a.folder, a.record, ending); err != nil && o.Err == nil {
		o.Err = err
	}
	return done
}

// takeOver attaches to a run that an earlier host has left, and follows it to its end; nil: it cannot.
func (r *Runner) takeOver(ctx context.Context, t Task, n int, may Permit, cause *event.Ref) *Attempt {
	from := may.Orphan
	limits := r.Limits.withDefaults()
	ctxStart, cancel := context.WithTimeout(ctx, limits.Start)
	defer cancel()
	task, err := r.Host.Launcher.Attach(ctxStart, from.Record.Process.Handle)
	if err != nil {
		r.Logger.Debug("run not taken over", "folder", from.Folder, "err", err)
		return nil
	}
	p := &Process{Task: task, contents: run.ContentsOf(r.Program.Command)}
	s := &stream{
		study: r.Study, run: filepath.Base(from.Folder), component: t.Component, seeks: t.Seeks, attempt: n,
		machine: cmp.Or(may.Slot, record.LocalSlot), clock: r.Clock, pulse: pulse{clock: r.Pulse},
		deliver: r.Deliver, most: r.Limits.Events,
	}
	if _, err = record.Fence(r.Host.Folder(), t.Name, s.run, r.Clock.Now(), r.Host.makes); err == nil {
		err = p.greet(ctxStart, r.Terms, limits.Reply) // another attempt may have been made beside it
	}
	made := from.Record
	if err == nil {
		made, err = record.Read(from.Folder)
	}
	if err == nil {
		if !madeBy(from.Folder, p.Description.WithDefaults(t.Request)) {
			err = errors.New("another request")
		} else {
			err = s.open(from.Folder)
		}
	}
	if err != nil {
		r.Logger.Debug("run not taken over", "folder", from.Folder, "err", err)
		p.Stop(limits.Grace)
		return nil
	}
	task.Turn(from.Folder)
	a := &attempt{
		Runner: r, task: t, may: may, run: s.run, folder: from.Folder, stream: s, started: from.Record.Process.Started,
		cause: cause, record: made, taken: p,
	}
	a.seen = s.goOn(from.Folder, r.Recall)
	return a.make(ctx, n)
}
