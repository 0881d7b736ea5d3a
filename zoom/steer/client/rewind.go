package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

// ErrEnded reports a run that is not in progress.
var ErrEnded = errors.New("the run has ended")

// Rewind restarts one run in progress at one of its checkpoints, as the next attempt at its job, with the wishes of an
// order applied there. report is called with the receipts of the order, a stop that ends the present attempt. The
// process that started the run makes the next attempt; without that process Rewind fails. The error is ErrEnded if the
// run has ended meanwhile.
func (r *Reached) Rewind(ctx context.Context, checkpoint string, stop Order, report func(*Run, event.Receipt)) error {
	changes, err := r.Wanted(ctx, stop)
	if err != nil {
		return err
	}
	if len(r.Runs) != 1 || r.Runs[0].whole {
		return fmt.Errorf("address %v: %d runs are in progress; want one, as STUDY/RUN", r.Address, len(r.Runs))
	}
	one := r.Runs[0]
	if len(stop.Wishes) > 0 && changes[one.Name] == nil {
		return ErrEnded
	}
	if one.Orphan {
		return fmt.Errorf("run %v: the process that started it has ended; no process would continue it", r.Address)
	}
	w := branch.Rewinding{ID: stop.ID + " rewind", Checkpoint: checkpoint, Changes: ofAnother(changes[one.Name]),
		By: stop.By, From: stop.From, Time: stop.Time}
	if err := branch.Rewind(one.Folder, w); err != nil {
		return err
	}
	return Give(ctx, []RunCommand{{one, stop}}, report)
}
