package steer

import (
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// The verbs.
const (
	Get        Verb = "get"        // read the objects: by a probe if allowed, else by a sense
	Set        Verb = "set"        // actuate the objects, all or none
	Poke       Verb = "write"      // write the objects by a probe
	CallOf     Verb = "call"       // call the function that Object names, with Value
	Switch     Verb = "switch"     // allow or forbid an operation: Value true or false, Operation
	Pause      Verb = "pause"      // hold at the next safe point
	Resume     Verb = "resume"     // end all pauses, of any client
	Step       Verb = "step"       // hold again after N iterations
	Checkpoint Verb = "checkpoint" // save the state at the next safe point, under Name
	// hold at the next safe point, together with other runs, until a Release of the same Name
	Sync    Verb = "sync"
	Release Verb = "release" // end a Sync; without Name: all, and all pauses
	Stop    Verb = "stop"    // end at the next safe point, with the present values
)

// Command is an order to a run; an [event.Receipt] reports its fate. Its Verb determines which fields it uses.
type Command struct {
	ID        string    `json:"id"` // unique in the study; a command whose ID was taken before is not done again
	Verb      Verb      `json:"verb"`
	Changes   []Change  `json:"changes,omitempty"`   // Get, Set, Poke, CallOf, Switch: their objects
	Operation Operation `json:"operation,omitempty"` // Switch
	Name      string    `json:"name,omitempty"`      // Checkpoint, Sync, Release
	Steps     int64     `json:"steps,omitempty"`     // Step
	// Stop: at once, as if the run's context had ended, and not at a safe point
	Now bool `json:"now,omitempty"`

	At    int64  `json:"at,omitempty"`    // not before the end of this iteration; 0: the next safe point
	When  string `json:"when,omitempty"`  // a condition on objects; empty: none
	Until int64  `json:"until,omitempty"` // expires if not applied by this iteration; 0: never

	// Holds ends the hold of a Pause or Sync when the client that gave the command leaves.
	Holds bool `json:"holds,omitempty"`

	By   string    `json:"by,omitempty"`   // who
	From string    `json:"from,omitempty"` // where: host and program
	Time time.Time `json:"time,omitzero"`

	// Rule is the run's own rule that gives the command; empty: it comes from elsewhere. It is not sent between
	// processes: only the run can set it.
	Rule string `json:"-"`
}

// Receipt returns a receipt of the command that does not come from a run.
func (c *Command) Receipt(s event.State, reason string) event.Receipt {
	return event.Receipt{
		ID: c.ID, Verb: c.Verb, Name: c.Name, Steps: c.Steps, State: s, Reason: reason, Time: c.Time,
	}
}

// Change is the change of one object.
type Change struct {
	Object string `json:"object"`           // its name, with the place inside it: limits.k4[2]
	Number int64  `json:"number,omitempty"` // of the intended object; 0: the object with the name now
	Value  Value  `json:"value,omitzero"`   // Set, Poke: the new value; CallOf: the argument
	Expect Value  `json:"expect,omitzero"`  // Set, Poke: refused unless the object has this value; none: any value
	Seen   Value  `json:"seen,omitzero"`    // value last seen by the client; for the record
}

// UnconfirmedError reports that a change was passed on, and why its effect cannot be observed.
type UnconfirmedError struct{ Reason string }

func (e *UnconfirmedError) Error() string { return e.Reason }
