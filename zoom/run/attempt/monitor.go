package attempt

// The judges of runs in progress, and the orders that they may give.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Monitor judges runs in progress. It is called for every event of every run of a pool, one call at a time.
type Monitor interface {
	// Observe takes an event and returns nil, or a reason to stop its run.
	Observe(event.Event) *Halt
}

// Commander is a Monitor that commands runs in progress.
type Commander interface {
	// Orders returns the orders for a run, in answer to the events that Observe took since the last call.
	Orders(run string) []Instruction
}

// Boarder is a Monitor with rules that a run may judge itself, in its solver's process.
type Boarder interface {
	// Board returns the rules that a run is to judge itself, as text; empty: none. If its solver is not able to, the
	// monitor judges them.
	Board(run string, able bool) string
}

// Instruction is a command to a run in progress, and its reason. A solver that cannot be steered takes set (numbers
// only), pause, resume and checkpoint. A checkpoint without a name is the solution from which the host restarts a run.
// Without a verb the instruction has no effect.
type Instruction struct {
	steer.Command
	Reason string     // the rule, and why it gives the order
	Cause  *event.Ref // the event that led to it; may be nil
	// its reason lies in other runs or in changed rules: the answer depends on more than its request, and is not kept
	Beyond bool
}

// Rewind is the verb of an order that repeats a run from its checkpoint Name, with the Changes.
const Rewind steer.Verb = "rewind"

// Halt is a reason to stop a run.
type Halt struct {
	Class   event.Class // of the run, whatever class the solver reports; Converged: its result so far is an answer
	Message string      // the rule, and why it stops the run

	Cause  *event.Ref // the event that led to it; may be nil
	Beyond bool       // its reason lies in other runs: the outcome depends on more than its request, and is not kept

	byMonitor bool
	silent    bool // of a judge of silence: no event is the reason
	leaves    bool // its machine is taken away soon
}

// Outrun is why an attempt is ended whose answer is no longer needed: another attempt at the job has ended first.
type Outrun struct{ By string }

func (o *Outrun) Error() string { return o.By + " has ended first" }

// outrunBy returns the attempt that has outrun the attempt with a context; empty: none.
func outrunBy(ctx context.Context) string {
	if by, ok := errors.AsType[*Outrun](context.Cause(ctx)); ok {
		return by.By
	}
	return ""
}

// stopReason is the reason to stop a run whose context has ended. No later run continues an attempt that was outrun.
func stopReason(ctx context.Context) *Halt {
	return &Halt{Class: event.Killed, Message: fmt.Sprintf("stopped: %v", context.Cause(ctx)),
		Beyond: outrunBy(ctx) != ""}
}

// Permit lists the resources that an attempt may use.
type Permit struct {
	Slot   string        // of the launcher's machines; empty: the launcher has this machine alone
	Waited time.Duration // for the slot
	Cores  int           // of it
	Lost   []string      // machines that were lost under earlier attempts
	// Outlasted is the number of attempts since the last checkpoint that have outlasted a block; see Attempt
	Outlasted int
	Orphan    *Orphan // the run to be taken over, where it is; nil: none
	Hangs     func()  // called when the run has reached the limit of silence, before it is stopped; nil: nothing
}

// Orphan is a run whose host has ended, and whose process may live.
type Orphan struct {
	Record record.Record
	Folder string
}
