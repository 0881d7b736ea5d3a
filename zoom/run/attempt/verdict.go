package attempt

// The class of an ended run, from its solver's answer and the end of its process.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// startVerdict classifies a failed start.
func (a *attempt) startVerdict(ctx context.Context, err error) verdict {
	v := verdict{class: event.Crashed, reason: err.Error(), err: err}
	var start *StartError
	var lost interface{ LostMachine() string }
	switch {
	case ctx.Err() != nil:
		v.class, v.reason = event.Killed, joinReasons(stopReason(ctx).Message, v.reason)
	// after so many attempts the program itself may be the cause
	case errors.As(err, &lost) && a.stream.attempt > mostElsewhere:
		return a.lostVerdict(lost.LostMachine(), err.Error())
	case errors.As(err, &lost):
		v.class, v.lostOn, v.left = event.Lost, lost.LostMachine(), true // before the run had begun
	// another machine may start it
	case errors.As(err, &start) && start.ContextErr == nil && a.may.Slot != "" && a.stream.attempt <= mostElsewhere:
		v.class, v.lostOn, v.left = event.Lost, a.may.Slot, true
	case errors.As(err, &start) && start.ContextErr != nil:
		v.class = event.Hung
	}
	return v
}

// judge classifies the run. got is nil if the solver did not answer; why is nil if the run ended by itself.
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
	// It finished before the command arrived. A monitor's reason is of the run's events, and holds all the same.
	if v.class == event.Converged && (!why.byMonitor || why.silent) {
		return v
	}
	reason := joinReasons(why.Message, v.reason)
	if why.Class == event.Converged {
		v.result.Class, v.result.Message = event.Converged, reason
		v = a.checkResult(v.result)
	} else {
		v.class, v.reason, v.err = why.Class, reason, nil
	}
	v.halted, v.beyond, v.cause, v.stopped = why.byMonitor, why.Beyond, why.Cause, false
	if why.leaves {
		v.lostOn, v.left, v.leaves = a.may.Slot, true, true
	}
	return v
}

// joinReasons joins the reason why a run was stopped and its last message, unless the message reports only the stop.
func joinReasons(a, b string) string {
	if b == "" || b == context.Canceled.Error() {
		return a
	}
	return a + "; " + b
}

// checkResult classifies a result after a check against the solver's description.
func (a *attempt) checkResult(r plugin.Result) verdict {
	err := a.process.Description.CheckResult(r)
	if err == nil && r.Class == event.Converged {
		err = machine.Contradiction(&a.record.Request, &r)
	}
	if err != nil {
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
		return a.lostVerdict(a.may.Slot, a.process.Task.Ending().Text)
	}
	switch {
	case a.endedBefore(err):
		return verdict{class: event.Lost, reason: err.Error(), lostOn: a.stream.machine, left: true}
	case errors.Is(err, plugin.ErrNoOutcome):
		v.class, v.reason = event.BadOutput, err.Error()
	case status.Code(err) != codes.Unavailable && status.Code(err) != codes.Canceled && !ended(0):
		v.class, v.reason = event.BadOutput, "the solver broke the protocol: "+status.Convert(err).Message()
	case ended(exitDelay) && a.process.Task.Ending().Lost:
		return a.lostVerdict(a.may.Slot, a.process.Task.Ending().Text)
	case !ended(0):
		v.class, v.reason = event.Lost, "the connection to the solver broke: "+status.Convert(err).Message()
	case a.process.Task.Ending().Full:
		v.class = event.OutOfMemory
		v.reason = fmt.Sprintf("killed for memory: with all that it started it used more than the %.3g GB "+
			"that its zoom allows (memory)", float64(a.Limits.Allowance.Memory)/1e9)
	case a.process.Task.Ending().Crowd:
		v.class = event.OverLimit
		v.reason = fmt.Sprintf("killed for its processes: its solver had started more than the %d "+
			"that its zoom allows (limits.processes)", a.Limits.Allowance.Processes)
	case a.process.Task.Ending().Fault:
		v.class, v.reason = event.Crashed, "the solver's process ended: "+a.process.Task.Ending().Text
	default:
		v.class, v.reason = event.Killed, "the solver's process was ended: "+a.process.Task.Ending().Text
	}
	if text := record.LastOutput(a.folder); text != "" && v.class != event.BadOutput {
		v.reason += "; it printed: " + text
	}
	return v
}

// endedBefore reports whether a run that was taken over had just ended, or had been stopped for lack of a host.
func (a *attempt) endedBefore(err error) bool {
	return a.taken != nil && status.Code(err) == codes.FailedPrecondition
}
