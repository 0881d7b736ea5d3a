package script

// The way from a script to what it steers.

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// Helm is the study that a script steers. Its runs are named as in an address, STUDY/RUN, without the study. Its
// methods may be called by several goroutines; their errors name the run.
type Helm interface {
	// Going lists the runs that go on and that a pattern means, by name; of the pattern * with the transients behind
	// them.
	Going(ctx context.Context, pattern string) ([]Going, error)
	// Objects lists what may be seen and changed of a run. ErrEnded: it goes on no more.
	Objects(ctx context.Context, run string) ([]steer.Listed, error)
	// Read reads objects of a run now; all if none is named. ErrEnded: it goes on no more.
	Read(ctx context.Context, run string, names []string) ([]steer.Listed, error)
	// Command returns a command with a new ID.
	Command(verb steer.Verb) steer.Command
	// Give gives a run what is wanted, and returns when report has got the last receipt, of a command that holds when
	// it holds no more. A run that has ended has the receipt that the command is late; a name that no run has is a
	// [*client.UnknownRunError].
	Give(ctx context.Context, run string, o ScriptCommand, report func(event.Receipt)) error
	// Keep keeps an order for the runs that a pattern means and that are yet to start.
	Keep(pattern string, o ScriptCommand) error
	// Rewind has a run go on from one of its checkpoints with what is wanted there, as the next attempt. report gets
	// the receipts of the stop that ends the present one.
	Rewind(ctx context.Context, run, checkpoint string, o ScriptCommand, report func(event.Receipt)) error
}

// Going is a run that goes on.
type Going struct {
	Name, Solver string
	Orphan       bool // the process that started it does not go on
	Transient    bool // of the executive's, and no run of a solver
}

// ScriptCommand is what a script wants done with a run.
type ScriptCommand struct {
	steer.Command               // without changes
	Wishes        []client.Wish // Set, Poke: what objects are to be; CallOf: the function, with its argument as value
	Arms          bool          // it is enough that it is armed for later
}

// ErrEnded reports a run that goes on no more.
var ErrEnded = errors.New("the run has ended")
