package client

// The commands of people, before the runs are known that get them.

import (
	"errors"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Order is a command as a person, a page or a script gives it to runs. Its changes follow from its wishes, if any, and
// from the objects of each run.
type Order struct {
	steer.Command
	// Set, Poke: the requested values of objects; CallOf: the function, with its argument as value
	Wishes []Wish
	Arms   bool // Give returns when the run has armed the command; its later fate is in the run's events
	// of a Stop, unless nil: the checkpoint at which the run restarts with the wishes, as the next attempt at its job
	Rewind *string
}

// Wish is the requested value of an object: texts, as ParseValue takes them.
type Wish struct {
	Object, Value string
	Expect        string // required present value; empty: any value
}

// Kept is the receipt of a kept order.
func (o *Order) Kept() event.Receipt {
	return o.Receipt(event.Armed, "kept for runs that are yet to start")
}

// ErrEnded reports a run that is not in progress.
var ErrEnded = errors.New("the run has ended")

// ofAnother adapts changes for another process, which has the same objects with other numbers and values.
func ofAnother(changes []steer.Change) []steer.Change {
	for i := range changes {
		changes[i].Number, changes[i].Expect = 0, steer.Value{}
	}
	return changes
}
