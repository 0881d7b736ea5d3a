package attempt

// What judges runs while they are made, and what it may order.

import (
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Monitor judges runs while they go on. It is called for every event of every run of a pool,
// one call at a time.
type Monitor interface {
	// Observe takes an event and returns nil, or a reason to stop its run.
	Observe(event.Event) *Halt
}

// Commander is a Monitor that commands runs while they go on.
type Commander interface {
	// Orders returns what a run is to do, in answer to the events that Observe took since it was called last.
	Orders(run string) []Instruction
}

// Boarder is a Monitor with rules that a run may judge itself, in its solver's process.
type Boarder interface {
	// Board returns the rules that a run is to judge itself, as text; empty: none. If its solver is not able to, the
	// monitor judges them.
	Board(run string, able bool) string
}

// Instruction is a command to a run that goes on, and its reason. A solver that cannot be steered takes set, of
// numbers, pause, resume and checkpoint. A checkpoint without a name is the one from which the host has a run go on.
// Without a verb nothing is done.
type Instruction struct {
	steer.Command
	Reason string     // the rule, and why it gives the order
	Cause  *event.Ref // the event that led to it; may be nil
	// its reason lies in other runs or in changed rules: the answer depends on more than its request, and is not kept
	Beyond bool
}

// Rewind is the verb of an order that has a run made again from its checkpoint Name, with the Changes.
const Rewind steer.Verb = "rewind"

// Halt is a reason to stop a run.
type Halt struct {
	Class   event.Class // of the run, whatever class the solver reports; Converged: its result so far is an answer
	Message string      // the rule, and why it stops the run

	Cause  *event.Ref // the event that led to it; may be nil
	Beyond bool       // its reason lies in other runs: the outcome depends on more than its request, and is not kept

	byMonitor bool
	leaves    bool // its machine is taken away soon
}

// Permit is what an attempt may use.
type Permit struct {
	Slot   string        // of the launcher's machines; empty: it has this one alone
	Waited time.Duration // for the slot
	Cores  int           // of it
	Lost   []string      // machines that were lost under earlier attempts
}
