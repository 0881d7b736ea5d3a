package run

// One attempt at one job: a process is started, asked, watched and ended, and
// its end is given a class. Everything that can go wrong with a run goes wrong here.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// attempt is one run in progress.
type attempt struct {
	pool    *Pool
	run     string
	folder  string
	stream  *stream
	process *Process
	started time.Time
	key     string     // of the cache; empty: none
	cause   *event.Ref // end of the attempt before; nil: this is the first
}

// verdict is how a run ended, as far as the host can tell.
type verdict struct {
	class   event.Class
	reason  string
	err     error
	result  plugin.Result
	halted  bool // by the monitor
	cause   *event.Ref
	stopped bool // the solver itself says that it was asked to stop
}

// answer is what came of the call Run.
type answer struct {
	result plugin.Result
	err    error
}

// perform starts the solver, runs the request, stops the solver and returns
// the verdict. The process is gone when it returns.
func (a *attempt) perform(ctx context.Context, req plugin.Request) verdict {
	p := a.pool
	unwatch := func() {}
	defer func() { unwatch() }() // after the process has ended and writes no more
	process, err := p.Host.Start(ctx, p.Program, a.folder, p.Terms, p.limits.Start)
	if process != nil {
		a.process = process
		defer process.Stop(p.limits.Grace)
	}
	if err != nil {
		return startVerdict(ctx, err)
	}
	p.Logger.Debug("solver started", "run", a.run, "solver", process.Description.Name, "folder", a.folder)
	d := process.Description
	if err := d.CheckRequest(req); err != nil {
		return verdict{class: NotRun, reason: err.Error(), err: err}
	}
	req = a.takeUp(ctx, d.WithDefaults(req), d)
	if err := plugin.WriteFile(a.folder, plugin.RequestFile, req); err != nil {
		return verdict{class: NotRun, reason: err.Error(), err: err}
	}
	unwatch = a.watch(ctx, d)
	return a.converse(ctx, req)
}

// startVerdict classifies a solver that did not come up.
func startVerdict(ctx context.Context, err error) verdict {
	v := verdict{class: event.Crashed, reason: err.Error(), err: err}
	var start *StartError
	switch {
	case ctx.Err() != nil:
		v.class = event.Killed
	case errors.As(err, &start) && start.Late != nil:
		v.class = event.Hung
	}
	return v
}

// converse runs the request and waits for its end: by itself, by a limit, by
// the monitor, or because ctx ends.
func (a *attempt) converse(ctx context.Context, req plugin.Request) verdict {
	call, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	answers := make(chan answer, 1)
	go func() { // ends with the call, which ends with the process at the latest
		r, err := a.process.Client.Run(call, req, a.stream.plugin)
		answers <- answer{r, err}
	}()
	got, why := a.wait(ctx, answers)
	if why != nil {
		got = a.stop(answers, why)
	}
	return a.judge(got, why)
}

// wait returns the answer, or why the run must be stopped without one.
func (a *attempt) wait(ctx context.Context, answers <-chan answer) (*answer, *Halt) {
	limits := a.pool.limits
	clk := a.pool.clock
	wall, check := after(clk, limits.Wall), after(clk, limits.Hung)
	defer func() { wall.Stop(); check.Stop() }()
	for {
		select {
		case got := <-answers:
			return &got, nil
		case <-ctx.Done():
			return nil, &Halt{Class: event.Killed, Message: fmt.Sprintf("stopped: %v", context.Cause(ctx))}
		case h := <-a.stream.halt:
			return nil, &Halt{Class: h.Class, Message: h.Message, Cause: h.Cause, byMonitor: true}
		case <-wall.C:
			return nil, &Halt{Class: event.Timeout, Message: fmt.Sprintf("not ready after %v", limits.Wall)}
		case <-check.C:
			silent := a.stream.silence()
			if silent >= limits.Hung {
				return nil, &Halt{Class: event.Hung, Message: fmt.Sprintf("nothing heard for %v", silent.Round(time.Millisecond))}
			}
			check = after(clk, limits.Hung-silent)
		}
	}
}

// after is a timer, or one that never fires for a negative duration.
func after(c clock.Clock, d time.Duration) *clock.Timer {
	if d < 0 {
		return clock.Never()
	}
	return c.NewTimer(d)
}

// stop asks the run to end, and ends its process if it does not in time. It
// returns the answer that the solver gave when asked, or nil.
func (a *attempt) stop(answers <-chan answer, why *Halt) *answer {
	a.stream.command(plugin.Stop, why)
	grace := a.pool.limits.Grace
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = a.process.Client.Control(ctx, plugin.Command{Verb: plugin.Stop}) // whether it heard shows in what it does
	select {
	case got := <-answers:
		return &got
	case <-ctx.Done():
		a.process.Stop(0)
		<-answers
		return nil
	}
}

// judge gives the run its class. got is nil if there was no answer, why is nil
// if the run ended by itself.
func (a *attempt) judge(got *answer, why *Halt) verdict {
	var v verdict
	switch {
	case got == nil:
		v.reason = "it did not stop when asked, and was killed"
	case got.err != nil:
		v = a.broken(got.err)
	default:
		v = a.received(got.result)
	}
	if why == nil {
		return v
	}
	if v.class == event.Converged { // it was ready just then
		return v
	}
	reason := joinReasons(why.Message, v.reason)
	if why.Class == event.Converged {
		v.result.Class, v.result.Message = event.Converged, reason
		v = a.received(v.result)
	} else {
		v.class, v.reason, v.err = why.Class, reason, nil
	}
	v.halted, v.cause = why.byMonitor, why.Cause
	return v
}

func joinReasons(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; " + b
}

// received checks a result against the description.
func (a *attempt) received(r plugin.Result) verdict {
	if err := a.process.Description.CheckResult(r); err != nil {
		return verdict{class: event.BadOutput, reason: err.Error(), err: err, result: r}
	}
	return verdict{class: r.Class, reason: r.Message, result: r, stopped: r.Class == event.Killed}
}

// exitDelay is how long the end of a process may come after that of its
// streams: the kernel closes files before the parent learns of the death.
const exitDelay = 2 * time.Second

// happens reports whether something happens in time.
func happens(what <-chan struct{}, within time.Duration) bool {
	late := clock.Real.NewTimer(within)
	defer late.Stop()
	select {
	case <-what:
		return true
	case <-late.C:
		select {
		case <-what: // both at once
			return true
		default:
			return false
		}
	}
}

// broken classifies a call that failed.
func (a *attempt) broken(err error) verdict {
	v := verdict{err: err}
	ended := func(within time.Duration) bool { return happens(a.process.Done(), within) }
	switch {
	case errors.Is(err, plugin.ErrNoOutcome):
		v.class, v.reason = event.BadOutput, err.Error()
	case status.Code(err) != codes.Unavailable && status.Code(err) != codes.Canceled && !ended(0):
		v.class, v.reason = event.BadOutput, "the solver broke the protocol: "+status.Convert(err).Message()
	case !ended(exitDelay):
		v.class, v.reason = event.Lost, "the connection to the solver broke: "+status.Convert(err).Message()
	case a.process.Task.Ending().Fault:
		v.class, v.reason = event.Crashed, "the solver's process ended: "+a.process.Task.Ending().Text
	default:
		v.class, v.reason = event.Killed, "the solver's process was ended: "+a.process.Task.Ending().Text
	}
	if text := tail(a.folder); text != "" && v.class != event.BadOutput {
		v.reason += "; it printed: " + text
	}
	return v
}

// noteKey leaves the key of the answer in the run folder. Without it the run
// goes on all the same; only its answer could not be harvested.
func (a *attempt) noteKey(key string) {
	if key == "" {
		return
	}
	if err := plugin.WriteFile(a.folder, plugin.KeyFile, keyRecord{key}); err != nil {
		a.stream.host(event.Warning, err.Error(), nil)
	}
}
