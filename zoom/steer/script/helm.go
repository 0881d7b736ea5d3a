package script

// The interface between a script and the study that it steers.

import (
	"context"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// Helm is the study that a script steers. Its runs are named as in an address, STUDY/RUN, without the study. Its
// methods may be called by several goroutines; their errors name the run.
type Helm interface {
	// Going lists the runs in progress that match a pattern, by name; for the pattern * followed by the transients.
	Going(ctx context.Context, pattern string) ([]Going, error)
	// Objects lists the objects of a run. [client.ErrEnded]: it is not in progress.
	Objects(ctx context.Context, run string) ([]steer.Listed, error)
	// Read reads objects of a run now; all if none is named. [client.ErrEnded]: it is not in progress.
	Read(ctx context.Context, run string, names []string) ([]steer.Listed, error)
	// Command returns a command with a new ID.
	Command(verb steer.Verb) steer.Command
	// Give gives a run a command. It returns when report has got the last receipt, or, for a command that holds, when
	// its hold has ended. For a run that has ended the receipt is late. A name that no run has is a
	// [*client.UnknownRunError].
	Give(ctx context.Context, run string, o client.Order, report func(event.Receipt)) error
	// Keep keeps an order for the runs that match a pattern and are yet to start.
	Keep(pattern string, o client.Order) error
}

// Going is a run in progress.
type Going struct {
	Name, Solver string
	Orphan       bool // the process that started it has ended
	Transient    bool // of the executive's, and no run of a solver
}
