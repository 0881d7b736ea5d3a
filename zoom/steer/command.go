package steer

import "time"

// The verbs.
const (
	Get        Verb = "get"        // read the objects: a probe where that is allowed, else a sense
	Set        Verb = "set"        // actuate the objects, all or none
	Poke       Verb = "write"      // write the objects by a probe
	CallOf     Verb = "call"       // call the function that Object names, with Value
	Switch     Verb = "switch"     // allow or forbid an operation: Value true or false, Operation
	Pause      Verb = "pause"      // hold at the next safe point
	Resume     Verb = "resume"     // let it go on, whoever holds it
	Step       Verb = "step"       // let it make N iterations, and hold it then
	Checkpoint Verb = "checkpoint" // save the state at the next safe point, under Name
	// hold at the next safe point, as one of several runs, until a Release of the same Name
	Sync    Verb = "sync"
	Release Verb = "release" // end a Sync; without Name: all, and all pauses
	Stop    Verb = "stop"    // end at the next safe point with what is there
)

// Command is what somebody wants done; an [event.Receipt] says what has become of it. Which fields it uses, its Verb
// says.
type Command struct {
	ID        string    `json:"id"` // unique in the study; a command whose ID was taken before is not done again
	Verb      Verb      `json:"verb"`
	Changes   []Change  `json:"changes,omitempty"`   // Get, Set, Poke, CallOf, Switch: their objects
	Operation Operation `json:"operation,omitempty"` // Switch
	Name      string    `json:"name,omitempty"`      // Checkpoint, Sync, Release
	Steps     int64     `json:"steps,omitempty"`     // Step
	// Stop: at once, as if the run's context had ended, and not at a safe point
	Now bool `json:"now,omitempty"`

	At    int64  `json:"at,omitempty"`    // not before the end of so many iterations; 0: the next safe point
	When  string `json:"when,omitempty"`  // a condition on objects; empty: none
	Until int64  `json:"until,omitempty"` // expires if it was not applied by so many iterations; 0: never

	// Holds ends what a Pause or Sync holds when whoever gave the command goes away.
	Holds bool `json:"holds,omitempty"`

	By   string    `json:"by,omitempty"`   // who
	From string    `json:"from,omitempty"` // where: host and program
	Time time.Time `json:"time,omitzero"`

	// Rule is the rule of the run's own that gives the command; empty: it comes from elsewhere. It does not travel:
	// nobody else can say that.
	Rule string `json:"-"`
}

// Change is what becomes of one object.
type Change struct {
	Object string `json:"object"`           // its name, with the place inside it: limits.k4[2]
	Number int64  `json:"number,omitempty"` // of the object that is meant; 0: whichever has the name now
	Value  Value  `json:"value,omitzero"`   // Set, Poke: the new one; CallOf: the argument
	Expect Value  `json:"expect,omitzero"`  // Set, Poke: refused unless it has this value; none: whatever it has
	Seen   Value  `json:"seen,omitzero"`    // that whoever gave the command saw; for the record
}

// UnconfirmedError says that a change was handed on, and why nothing shows whether it was done.
type UnconfirmedError struct{ Reason string }

func (e *UnconfirmedError) Error() string { return e.Reason }
