package run

// One attempt at one job: start a solver, send the request, wait, stop the process, and
// classify how the run ended. All failures of a run are handled here.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// attempt is one run in progress.
type attempt struct {
	pool    *Pool
	may     permit   // by which it began
	lost    []string // machines that were lost under earlier attempts
	run     string
	folder  string
	stream  *stream
	process *Process
	started time.Time
	record  Record
	goOn    string        // path of a solution to go on from; empty: none
	rewound *rewound      // the checkpoint of another attempt from which it goes on; nil: none
	cause   *event.Ref    // the event that led to the attempt; may be nil
	used    process.Usage // processor time of the run, memory of all runs of its process

	ordered   int             // changes by orders
	released  map[string]bool // IDs of commands with which it began that hold it no more
	commanded map[string]bool // commands of other processes that were recorded
	stopping  *event.Ref      // the event of one of these that stopped the run; nil: none did
}

// verdict is how a run ended, as the host sees it.
type verdict struct {
	class   event.Class
	reason  string
	err     error
	result  plugin.Result
	halted  bool       // the monitor stopped it or rejected its answer
	beyond  bool       // ... for what other runs did
	cause   *event.Ref // the event that led to its end; may be nil
	lostOn  string     // the machine that was lost, or had to be left; empty: none
	left    bool       // it had to be left
	stopped bool       // the solver reports that it stopped on command
}

// answer holds the results of the call Run.
type answer struct {
	result plugin.Result
	err    error
}

// execute has a solver make the run and returns the verdict. The solver has done with it when it returns. A process
// that has made runs before and ends without a sign that it began this one is no fault of the request: the run is
// made in a new one. A machine that is lost may be lost for it.
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
	p := a.pool
	a.process = nil // of an earlier try
	if why := a.pool.Host.disk.over(&a.pool.limits, a.pool.Host.Folder(), a.folder); why != nil {
		return verdict{class: why.Class, reason: why.Message}
	}
	unwatch := func() {}
	defer func() { unwatch() }() // runs after the process is given back: the files are complete then
	process, err := p.borrow(ctx, a.may.slot, a.folder)
	if process != nil {
		a.process = process
		defer func() {
			a.used = process.spent()
			a.fetch(process, v.class)
			p.Host.giveBack(process, slices.Contains(answered, v.class), p.limits.Grace)
		}()
	}
	if err != nil {
		return a.startVerdict(ctx, err)
	}
	p.Logger.Debug("solver started", "run", a.run, "solver", process.Description.Name, "folder", a.folder)
	d := process.Description
	if err := d.CheckRequest(req); err != nil {
		return verdict{class: NotRun, reason: err.Error(), err: err}
	}
	req = a.resumeEarlier(ctx, d.WithDefaults(req), d)
	a.record.Request, a.record.Process = req, p.Host.record(process, p.Program)
	a.record.Process.Waited, a.record.Process.Cores = a.may.waited, a.may.cores
	if err := a.writeRecord(d.Steers); err != nil {
		return verdict{class: NotRun, reason: err.Error(), err: err}
	}
	a.stream.recordRequest(req, d)
	req.Commands = a.record.Commands
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

// startVerdict classifies a failed start.
func (a *attempt) startVerdict(ctx context.Context, err error) verdict {
	v := verdict{class: event.Crashed, reason: err.Error(), err: err}
	var start *StartError
	var lost interface{ LostMachine() string }
	switch {
	case ctx.Err() != nil:
		v.class = event.Killed
	case errors.As(err, &lost) && a.stream.attempt > mostElsewhere: // so often: it may be what they die of
		return a.lostVerdict(lost.LostMachine(), err.Error())
	case errors.As(err, &lost):
		v.class, v.lostOn, v.left = event.Lost, lost.LostMachine(), true // not under the run, which had not begun
	case errors.As(err, &start) && start.ContextErr == nil && a.may.slot != "" && a.stream.attempt <= mostElsewhere:
		// another machine may start it
		v.class, v.lostOn, v.left = event.Lost, a.may.slot, true
	case errors.As(err, &start) && start.ContextErr != nil:
		v.class = event.Hung
	}
	return v
}

// runRequest sends the request and waits until the run ends: by itself, at a limit, by the
// monitor, or because ctx ends.
func (a *attempt) runRequest(ctx context.Context, req plugin.Request) verdict {
	call, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	answers := make(chan answer, 1)
	go func() { // ends with the call; the end of the process ends the call
		r, err := a.process.Client.Run(call, req, a.stream.fromPlugin)
		answers <- answer{r, err}
	}()
	got, why := a.wait(ctx, answers)
	if why != nil && got == nil {
		got = a.stop(answers, why)
	}
	return a.judge(got, why)
}

// wait returns the answer, or the reason to stop the run before it gave one.
func (a *attempt) wait(ctx context.Context, answers <-chan answer) (*answer, *Halt) {
	limits := a.pool.Course.limits(a.pool.limits)
	clk := a.pool.clock
	wall, check, disk := after(clk, limits.Wall), after(clk, limits.Hung), after(clk, limits.lookAtDisk(0))
	leaving, began := a.leaving(), clk.Now()
	look := clock.Never() // at the commands that resume a paused run
	defer func() { wall.Stop(); check.Stop(); disk.Stop(); look.Stop() }()
	for {
		select {
		case got := <-answers:
			return &got, a.stoppedAboard(&got)
		case <-ctx.Done():
			return nil, &Halt{Class: event.Killed, Message: fmt.Sprintf("stopped: %v", context.Cause(ctx))}
		case h := <-a.stream.halt:
			return nil, &Halt{Class: h.Class, Message: h.Message, Cause: h.Cause, Beyond: h.Beyond, byMonitor: true}
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
			if why := a.pool.Host.disk.over(&a.pool.limits, a.pool.Host.Folder(), a.folder); why != nil {
				return nil, why
			}
			disk = after(clk, limits.lookAtDisk(clock.Since(clk, began)))
		case <-leaving:
			return nil, &Halt{
				Class: event.Lost, Message: "its machine " + a.may.slot + " is taken away soon: it goes on elsewhere",
				leaves: true,
			}
		case <-wall.C:
			left := limits.Wall - (clock.Since(clk, began) - a.stream.rest())
			if left <= 0 {
				return nil, &Halt{Class: event.Timeout, Message: fmt.Sprintf("not ready after %v", limits.Wall)}
			}
			if a.stream.isPaused() { // nothing is taken from it meanwhile
				left = max(left, lookTime)
			}
			wall = after(clk, left)
		case <-check.C:
			silent := a.stream.silence()
			if silent >= limits.Hung {
				return nil, &Halt{
					Class: event.Hung, Message: fmt.Sprintf("nothing heard for %v", silent.Round(time.Millisecond)),
				}
			}
			check = after(clk, limits.Hung-silent)
		}
	}
}

// lookTime is the time within which the host notes that another process has resumed a paused run.
const lookTime = time.Second / 2

// commands returns what other processes have commanded since the last call.
func (a *attempt) commands() []commandRecord {
	list, err := readCommands(a.folder)
	if err != nil {
		a.stream.fromHost(event.Warning, err.Error(), nil)
	}
	if a.commanded == nil {
		a.commanded = map[string]bool{}
	}
	fresh := slices.DeleteFunc(list, func(c commandRecord) bool { return a.commanded[c.ID] || c.Steers })
	for _, c := range fresh {
		a.commanded[c.ID] = true
	}
	return fresh
}

// recordCommands records what other processes have commanded, in its order.
func (a *attempt) recordCommands() {
	for _, c := range a.commands() {
		switch c.Verb {
		case plugin.Resume:
			a.stream.resumed(c.event())
		case plugin.Stop:
			a.stopping = a.stream.add(c.event())
		default:
			a.stream.add(c.event())
		}
	}
}

// after returns a timer; with a negative duration it never fires.
func after(c clock.Clock, d time.Duration) *clock.Timer {
	if d < 0 {
		return clock.Never()
	}
	return c.NewTimer(d)
}

// stop commands the run to stop, and ends its process if it does not stop within the grace
// time. It returns the answer of a run that stopped, or nil.
func (a *attempt) stop(answers <-chan answer, why *Halt) *answer {
	if why.Beyond {
		a.forgetKey()
	}
	why.Cause = a.stream.command(plugin.Stop, why)
	grace := a.pool.limits.Grace
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	// a solver that did not get it does not answer in time
	_ = a.process.Client.Control(ctx, plugin.Command{Run: a.run, Verb: plugin.Stop})
	select {
	case got := <-answers:
		return &got
	case <-ctx.Done():
		a.process.Stop(0)
		<-answers
		return nil
	}
}

// judge classifies the run. got is nil if there was no answer; why is nil if the run ended
// by itself.
func (a *attempt) judge(got *answer, why *Halt) verdict {
	var v verdict
	switch {
	case got == nil:
		v.reason = "it did not stop on command, and was killed"
	case got.err != nil:
		v = a.classifyFailure(got.err)
	default:
		v = a.checkResult(got.result)
	}
	if why == nil {
		return v
	}
	if v.class == event.Converged { // it finished before the command arrived
		return v
	}
	reason := joinReasons(why.Message, v.reason)
	if why.Class == event.Converged {
		v.result.Class, v.result.Message = event.Converged, reason
		v = a.checkResult(v.result)
	} else {
		v.class, v.reason, v.err = why.Class, reason, nil
	}
	v.halted, v.beyond, v.cause = why.byMonitor, why.Beyond, why.Cause
	if why.leaves {
		v.lostOn, v.left, v.stopped = a.may.slot, true, false
	}
	return v
}

// joinReasons joins why a run was stopped and what it said then, unless that is no more than that it was.
func joinReasons(a, b string) string {
	if b == "" || b == context.Canceled.Error() {
		return a
	}
	return a + "; " + b
}

// checkResult classifies a result after a check against the solver's description.
func (a *attempt) checkResult(r plugin.Result) verdict {
	if err := a.process.Description.CheckResult(r); err != nil {
		return verdict{class: event.BadOutput, reason: err.Error(), err: err, result: r}
	}
	v := verdict{class: r.Class, reason: r.Message, result: r, stopped: r.Class == event.Killed}
	if r.MachineFault && r.Class == event.Crashed {
		v.err = fault.Machine(errors.New(r.Message))
	}
	return v
}

// exitDelay is the longest time between the end of a process's streams and the notice of its
// death: the kernel closes files before it notifies the parent.
const exitDelay = 2 * time.Second

// classifyFailure classifies a call of Run that failed.
func (a *attempt) classifyFailure(err error) verdict {
	v := verdict{err: err}
	ended := func(within time.Duration) bool { return closedWithin(a.process.Done(), within) }
	if ended(0) && a.process.Task.Ending().Lost {
		return a.lostVerdict(a.may.slot, a.process.Task.Ending().Text)
	}
	switch {
	case errors.Is(err, plugin.ErrNoOutcome):
		v.class, v.reason = event.BadOutput, err.Error()
	case status.Code(err) != codes.Unavailable && status.Code(err) != codes.Canceled && !ended(0):
		v.class, v.reason = event.BadOutput, "the solver broke the protocol: "+status.Convert(err).Message()
	case ended(exitDelay) && a.process.Task.Ending().Lost:
		return a.lostVerdict(a.may.slot, a.process.Task.Ending().Text)
	case !ended(0):
		v.class, v.reason = event.Lost, "the connection to the solver broke: "+status.Convert(err).Message()
	case a.process.Task.Ending().Full:
		v.class, v.reason = event.OutOfMemory, fmt.Sprintf(
			"killed for memory: with all that it started it used more than the %.3g GB that its zoom allows (memory)",
			float64(a.pool.limits.Allowance.Memory)/1e9)
	case a.process.Task.Ending().Crowd:
		v.class, v.reason = event.OverLimit, fmt.Sprintf(
			"killed for its processes: its solver and what that started were more than the %d that its zoom allows "+
				"(limits.processes)", a.pool.limits.Allowance.Processes)
	case a.process.Task.Ending().Fault:
		v.class, v.reason = event.Crashed, "the solver's process ended: "+a.process.Task.Ending().Text
	default:
		v.class, v.reason = event.Killed, "the solver's process was ended: "+a.process.Task.Ending().Text
	}
	if text := lastOutput(a.folder); text != "" && v.class != event.BadOutput {
		v.reason += "; it printed: " + text
	}
	return v
}

// forgetKey takes the cache key from the run folder: the answer depends on more than the request, and must not be
// harvested.
func (a *attempt) forgetKey() {
	if a.record.Key == "" {
		return
	}
	a.record.Key = ""
	if WriteRecord(a.folder, a.record) != nil { // a full disk: better not to be found than to be harvested
		_ = os.Remove(filepath.Join(a.folder, plugin.RequestFile))
	}
}
