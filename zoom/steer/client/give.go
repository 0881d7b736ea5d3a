package client

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// RunCommand is an order to one of the runs, with its changes.
type RunCommand struct {
	Run *Run
	Order
}

// Command returns a command of this client's user, with a new ID if id is empty. A command given again with the same
// ID, for example because the first reply was lost, is applied once.
func (c *Client) Command(id string, verb steer.Verb) steer.Command {
	now := c.Clock.Now().UTC()
	if id == "" {
		id = fmt.Sprintf("%s-%d", process.Self().Tag(), now.UnixNano())
	}
	return steer.Command{ID: id, Verb: verb, By: c.By, From: c.From, Time: now}
}

// Orders returns an order for each run. Runs in changes get these in place of the order's: a run that began later than
// the changes were found has none.
func (r *Reached) Orders(o Order, changes map[string][]steer.Change) (orders []RunCommand) {
	for _, run := range r.Runs {
		one := RunCommand{run, o}
		if own := changes[run.Name]; own != nil {
			one.Changes = own
		}
		orders = append(orders, one)
	}
	return orders
}

// Give gives an order to the runs; see the function Give. The error is ErrEnded if the wishes are for one run, and that
// has ended meanwhile.
func (r *Reached) Give(ctx context.Context, o Order, report func(*Run, event.Receipt)) error {
	changes, err := r.Wanted(ctx, o)
	switch {
	case err != nil:
		return err
	case len(r.Runs) == 1 && len(o.Wishes) > 0 && changes[r.Runs[0].Name] == nil:
		return ErrEnded
	case o.Rewind != nil:
		if err := r.rewind(o, changes); err != nil {
			return err
		}
		o.Wishes, changes = nil, nil // the stop itself has none
	}
	return Give(ctx, r.Orders(o, changes), report)
}

// lacks reports whether the run has no objects for the wishes: it has ended, or has not begun.
func (o RunCommand) lacks() bool { return len(o.Wishes) > 0 && o.Changes == nil }

// late is the receipt for a run that lacks the objects.
func (o RunCommand) late() event.Receipt {
	reason := "the run has not begun"
	if o.Run.over() {
		reason = o.Run.fate()
	}
	return o.Receipt(event.Late, reason)
}

// Preview returns the receipt of a command that is not given, for a reason: what it would change.
func (o RunCommand) Preview(reason string) event.Receipt {
	if o.lacks() {
		return o.late()
	}
	x := o.Receipt(event.Accepted, reason)
	for _, d := range o.Changes {
		x.Effects = append(x.Effects, event.Done{Object: d.Object, Number: d.Number, Old: d.Seen, New: d.Value})
	}
	return x
}

// Give gives commands to runs, at the same time, and calls report with each receipt, one call at a time. Without an
// error each command has a final receipt. It fails if a run cannot be reached or ctx ends.
func Give(ctx context.Context, orders []RunCommand, report func(*Run, event.Receipt)) error {
	var one sync.Mutex
	return together(len(orders), func(i int) error {
		o := orders[i]
		return o.Run.give(ctx, o, func(x event.Receipt) {
			one.Lock()
			defer one.Unlock()
			report(o.Run, x)
		})
	})
}

// give gives one command to the run. It first records that the run may be steered, so that its answer is never taken
// for that of the request alone, even if a process is killed.
func (r *Run) give(ctx context.Context, o RunCommand, report func(event.Receipt)) error {
	c := o.Command
	if o.lacks() {
		x, recorded := r.Recorded(c.ID)
		if !recorded {
			x = o.late()
		}
		report(x)
		return nil
	}
	if !r.whole {
		if err := r.Intend(c); err != nil {
			return err
		}
	}
	last := event.Receipt{ID: c.ID, Verb: c.Verb}
	call, enough := context.WithCancel(ctx)
	defer enough()
	err := r.begun(ctx, func() error {
		return r.solver.Steer(call, c, r.Name, func(x event.Receipt) {
			last = x
			report(x)
			if o.Arms && x.State == event.Armed {
				enough()
			}
		})
	})
	switch {
	case last.State.Final() && last.State != "", o.Arms && last.State == event.Armed:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil, errors.Is(err, record.ErrNotRunning), status.Code(err) == codes.Unavailable, status.Code(
		err) == codes.Canceled:
		return r.settle(ctx, last, report)
	}
	return fmt.Errorf("run %s/%s: %s", r.Study, r.Name, status.Convert(err).Message())
}

// lastWords is how long the host may take to write the last events of the run's process.
const lastWords = 3 * time.Second

// settle reports the fate of a command to a run whose process has ended, from the run's record.
func (r *Run) settle(ctx context.Context, last event.Receipt, report func(event.Receipt)) error {
	for end := r.client.Clock.Now().Add(lastWords); ; {
		over := r.over()
		if x, ok := r.Recorded(last.ID); ok {
			report(x)
			return nil
		}
		if over || r.client.Clock.Now().After(end) {
			break
		}
		if clock.Sleep(ctx, r.client.Clock, soon) != nil {
			return ctx.Err()
		}
	}
	last.Time = r.client.Clock.Now().UTC()
	if last.State == "" {
		last.State, last.Reason = event.Late, r.fate()
	} else {
		last.State, last.Reason = event.Unconfirmed, "its process ended before it reported the result of the command"
	}
	report(last)
	return nil
}

// fate describes the end of the run.
func (r *Run) fate() string {
	var end plugin.Ending
	if plugin.ReadFile(r.Folder, plugin.ResultFile, &end) != nil {
		return "the run is over: its process has ended"
	}
	return fmt.Sprintf("the run is over: %s", end.Class)
}

// over reports whether the run has a result or no process.
func (r *Run) over() bool {
	select {
	case <-r.task.Done():
		return true
	default:
	}
	return plugin.HasResult(r.Folder)
}

// Recorded returns the final receipt of a command from the run's events. Events that cannot be read count as missing.
func (r *Run) Recorded(id string) (event.Receipt, bool) {
	events, _ := event.Read(filepath.Join(r.Folder, plugin.EventsFile))
	for _, e := range events {
		if e.Act != nil && e.Act.ID == id {
			return *e.Act, true
		}
	}
	return event.Receipt{}, false
}

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
