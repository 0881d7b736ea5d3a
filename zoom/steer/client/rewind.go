package client

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// rewind has the one run in progress restart at a checkpoint with its changes, once the order has stopped the present
// attempt. The process that started the run makes the next attempt; without that process rewind fails.
func (r *Reached) rewind(o Order, changes map[string][]steer.Change) error {
	if len(r.Runs) != 1 || r.Runs[0].whole {
		return fmt.Errorf("address %v: %d runs are in progress; want one, as STUDY/RUN", r.Address, len(r.Runs))
	}
	one := r.Runs[0]
	if one.Orphan {
		return fmt.Errorf("run %v: the process that started it has ended; no process would continue it", r.Address)
	}
	return branch.Rewind(one.Folder, branch.Rewinding{ID: o.ID + " rewind", Checkpoint: *o.Rewind,
		Changes: ofAnother(changes[one.Name]), By: o.By, From: o.From, Time: o.Time})
}
