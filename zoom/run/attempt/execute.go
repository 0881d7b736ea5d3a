package attempt

// The execution of an attempt. A process is started or taken from the idle ones, gets the request, and is stopped if it
// does not end by itself.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// execute has a solver make the run, and returns the verdict when the solver has finished. A reused process that dies
// before it reports any event of this run is not the request's fault: the run is repeated in a new process. That does
// not apply to a lost machine, which the run may have caused.
func (a *attempt) execute(ctx context.Context, req plugin.Request) (v verdict) {
	for warm := true; warm; {
		v = a.executeOnce(ctx, req)
		warm = a.process != nil && a.process.runs > 1 && !a.stream.heard() && ctx.Err() == nil &&
			slices.Contains(died, v.class) && !v.halted && v.lostOn == ""
	}
	return v
}

// died are the classes of runs whose process ended before its time.
var died = []event.Class{event.Crashed, event.Killed, event.Lost}

func (a *attempt) executeOnce(ctx context.Context, req plugin.Request) (v verdict) {
	a.process = nil // of an earlier try
	if why := a.Host.disk.over(&a.Limits, a.Host.Folder(), a.folder); why != nil {
		return verdict{class: why.Class, reason: why.Message}
	}
	unwatch := func() {}
	defer func() { unwatch() }() // runs after the process is given back: the files are complete then
	began := a.Clock.Now()
	process, err := a.borrow(ctx)
	a.since(began, SpanStart, 0)
	if process != nil {
		a.process = process
		defer func() {
			a.used = process.spent()
			a.fetch(process, v.class)
			a.Host.giveBack(process, v.class == run.NotRun || run.Repeatable(v.class), a.Limits.Grace)
		}()
	}
	if err != nil {
		return a.startVerdict(ctx, err)
	}
	a.Logger.Debug("solver started", "run", a.run, "solver", process.Description.Name, "folder", a.folder)
	d := process.Description
	if err := d.CheckRequest(req); err != nil {
		return verdict{class: run.NotRun, reason: err.Error(), err: err}
	}
	req = a.resumeEarlier(ctx, d.WithDefaults(req), d)
	a.record.Request, a.record.Process = req, a.Host.record(process, a.Program)
	a.record.Process.Waited, a.record.Process.Cores = a.may.Waited, a.may.Cores
	if err := a.writeRecord(d.Steers); err != nil {
		return verdict{class: run.NotRun, reason: err.Error(), err: err}
	}
	a.stream.recordRequest(req, d)
	req.Commands = slices.Concat(a.traced(), a.record.Commands)
	if err = a.begin(ctx, d.Steers); err == nil {
		req, err = a.carry(ctx, req, d)
	}
	if err != nil {
		return a.startVerdict(ctx, err)
	}
	req.Rules = a.board(d)
	unwatch = a.watch(d)
	return a.runRequest(ctx, req)
}

// runRequest sends the request and waits until the run ends: by itself, at a limit, by the
// monitor, or because ctx ends.
func (a *attempt) runRequest(ctx context.Context, req plugin.Request) verdict {
	call, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	answers := make(chan answer, 1)
	began, before := a.Clock.Now(), a.process.Client.Traffic()
	a.stream.waits(true, false)
	rested := a.stream.rest()
	if a.taken != nil { // its time counts from its start
		rested = 0
	}
	go func() { // ends with the call; the end of the process ends the call
		var r plugin.Result
		var err error
		if a.taken != nil {
			r, err = a.process.Client.Attach(call, req, a.seen, a.stream.fromPlugin)
		} else {
			r, err = a.process.Client.Run(call, req, a.stream.fromPlugin)
		}
		answers <- answer{r, err}
	}()
	got, why := a.wait(ctx, answers, rested)
	a.stream.waits(false, got != nil)
	if why != nil && got == nil {
		got = a.stop(answers, why)
	}
	a.since(began, SpanCall, a.process.Client.Traffic()-before)
	return a.judge(got, why)
}

// wait returns the answer, or the reason to stop the run before it answers. It ignores rests before the request.
func (a *attempt) wait(ctx context.Context, answers <-chan answer, rested time.Duration) (*answer, *Halt) {
	limits := a.Limits.changedBy(a.Live)
	clk := a.Clock
	beats := a.Pulse.NewTicker(pulseTime)
	began := a.clockStart()
	wall := after(clk, remaining(limits.Wall, clock.Since(clk, began)))
	check, disk := after(clk, limits.Hung), after(clk, limits.lookAtDisk(0))
	leaving := a.leaving()
	look := clock.Never() // at the commands that resume a paused run
	defer func() { wall.Stop(); check.Stop(); disk.Stop(); look.Stop(); beats.Stop() }()
	for {
		select {
		case got := <-answers:
			return &got, a.stoppedAboard(&got)
		case <-ctx.Done():
			return nil, stopReason(ctx)
		case h := <-a.stream.halt:
			h.byMonitor = true
			return nil, h
		case o := <-a.stream.orders:
			a.order(o)
		case <-a.stream.turned:
			look.Stop()
			look = a.pausedTimer(clk)
		case <-look.C:
			a.recordCommands()
			a.letGo()
			look = a.pausedTimer(clk)
		case <-disk.C:
			began := clk.Now()
			if why := a.Host.disk.over(&a.Limits, a.Host.Folder(), a.folder); why != nil {
				return nil, why
			}
			disk = after(clk, limits.lookAtDisk(clock.Since(clk, began)))
		case <-leaving:
			return nil, &Halt{Class: event.Lost,
				Message: "its machine " + a.may.Slot + " is taken away soon: it continues elsewhere", leaves: true}
		case <-beats.C:
			a.stream.beat()
		case <-wall.C:
			a.stream.beat()
			left := limits.Wall - (clock.Since(clk, began) - (a.stream.rest() - rested))
			if left <= 0 {
				return nil, &Halt{Class: event.Timeout, Message: fmt.Sprintf("not ready after %v", limits.Wall)}
			}
			if a.stream.isPaused() { // the time limit does not run during a pause
				left = max(left, lookTime)
			}
			wall = after(clk, left)
		case <-check.C:
			a.stream.beat()
			silent := a.stream.silence()
			if silent >= limits.Hung {
				if a.may.Hangs != nil {
					a.may.Hangs()
				}
				return nil, &Halt{
					Class: event.Hung, Message: fmt.Sprintf("nothing heard for %v", silent.Round(time.Millisecond)),
				}
			}
			check = after(clk, limits.Hung-silent)
		}
	}
}

// remaining is the rest of a time limit; negative: there is no limit.
func remaining(limit, spent time.Duration) time.Duration {
	if limit < 0 {
		return limit
	}
	return max(0, limit-spent)
}

// after returns a timer; with a negative duration it never fires.
func after(c clock.Clock, d time.Duration) *clock.Timer {
	if d < 0 {
		return clock.Never()
	}
	return c.NewTimer(d)
}

// stop commands the run to stop, and ends its process if it does not stop within the grace time. It returns the answer
// of a stopped run, or nil.
func (a *attempt) stop(answers <-chan answer, why *Halt) *answer {
	if why.Beyond {
		a.forgetKey()
	}
	why.Cause = a.stream.command(steer.Stop, why)
	grace := a.Limits.Grace
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	// a solver that did not get the command does not answer in time
	_ = a.process.Client.Stop(ctx, a.run)
	select {
	case got := <-answers:
		return &got
	case <-ctx.Done():
		a.process.Stop(0)
		<-answers
		return nil
	}
}

// borrow returns a solver for the attempt; see Host.
func (a *attempt) borrow(ctx context.Context) (*Process, error) {
	if a.Fresh {
		return a.Host.startIn(ctx, a.may.Slot, a.Program, a.folder, a.Terms, a.Limits)
	}
	return a.Host.borrow(ctx, a.Program, a.may.Slot, a.folder, a.Terms, a.Limits)
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

// clockStart returns the time from which the run's time counts.
func (a *attempt) clockStart() time.Time {
	if a.taken != nil {
		return a.started
	}
	return a.Clock.Now()
}

// The watch of the files that a solver describes.

// watch has the watcher follow the files that the solver describes. If that fails, it records a warning and the run
// continues.
func (a *attempt) watch(d plugin.Description) (unwatch func()) {
	w := a.Host.watcher
	if w == nil {
		return func() {}
	}
	var errs []error
	specs := fileSpecs(a.Study, a.run, a.folder, d)
	for _, spec := range specs {
		errs = append(errs, w.Watch(spec))
	}
	if len(specs) > 0 {
		a.stream.fromHost(event.Watched, "", nil)
	}
	if err := errors.Join(errs...); err != nil {
		a.stream.fromHost(event.Warning, fmt.Sprintf("not all files of the run are watched: %v", err), nil)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
		defer cancel()
		if err := w.Unwatch(ctx, a.run); err != nil {
			a.stream.fromHost(event.Warning,
				fmt.Sprintf("the files of the run may not have been read to their end: %v", err), nil)
		}
		a.Host.router.flush()
		a.stream.beat()
	}
}

// fileSpecs returns the files of a run that a watchdog can read.
func fileSpecs(study, run, folder string, d plugin.Description) []history.FileSpec {
	var specs []history.FileSpec
	for _, f := range d.Files {
		if f.Watched() {
			specs = append(specs, history.FileSpec{Study: study, Run: run, Folder: folder, File: f})
		}
	}
	return specs
}
