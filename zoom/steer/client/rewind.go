package client

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Rewind restarts one run in progress at one of its checkpoints, as the next attempt at its job, with some objects
// changed there. report is called with the receipts of the stop that ends the present attempt. The process that started
// the run makes the next attempt; without that process Rewind fails.
func (r *Reached) Rewind(ctx context.Context, checkpoint string, changes []steer.Change, stop steer.Command,
	report func(*Run, event.Receipt)) error {
	if len(r.Runs) != 1 || r.Runs[0].whole {
		return fmt.Errorf("address %v: %d runs are in progress; want one, as STUDY/RUN", r.Address, len(r.Runs))
	}
	one := r.Runs[0]
	if one.Orphan {
		return fmt.Errorf("run %v: the process that started it has ended; no process would continue it", r.Address)
	}
	w := branch.Rewinding{ID: stop.ID + " rewind", Checkpoint: checkpoint, Changes: ofAnother(changes), By: stop.By,
		From: stop.From, Time: stop.Time}
	if err := branch.Rewind(one.Folder, w); err != nil {
		return err
	}
	return Give(ctx, []RunCommand{{Run: one, Command: stop}}, report)
}
