package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Branched is the result of a command that makes a branch.
type Branched struct {
	Address Address // of the parent run, with whole names
	event.Receipt
	Run string // the branch; empty: none is made
}

// errNobody reports that no process works on the study, so that no branch can be made.
var errNobody = errors.New(
	"no process works on the study, so the branch would not be made: start the study again with run --study, and " +
		"branch while it runs")

// Branch has a run of the study made a second time from one of its checkpoints, with wishes applied there. The run may
// be in progress or ended. The process that works on the study makes the branch; without that process Branch fails.
func (c *Client) Branch(ctx context.Context, a Address, checkpoint string, wishes []Wish,
	command steer.Command) (b Branched, err error) {
	a, err = c.oneRun(a)
	if b.Address = a; err != nil {
		return b, err
	}
	whole, err := c.Reach(ctx, Address{a.Study, record.StudyAddress})
	if err != nil {
		return b, err
	}
	defer whole.Close()
	if len(whole.Runs) == 0 {
		return b, fmt.Errorf("study %s: %w", a.Study, errNobody)
	}
	w := branch.Wanted{Run: a.Runs, Rewinding: branch.Rewinding{ID: command.ID, Checkpoint: checkpoint, By: command.By}}
	if err := branch.Check(c.folder(a), w); err != nil {
		return b, err
	}
	if w.Changes, err = c.changesOf(ctx, a, wishes); err != nil {
		return b, err
	}
	text, err := json.Marshal(w)
	if err != nil {
		return b, err
	}
	command.Changes = []steer.Change{{Object: branch.Verb, Value: steer.TextValue(string(text))}}
	err = Give(ctx, []RunCommand{{whole.Runs[0], Order{Command: command}}},
		func(_ *Run, x event.Receipt) { b.Receipt = x })
	if err == nil && b.State == event.Applied && len(b.Effects) == 1 {
		b.Run = b.Effects[0].New.Text
	}
	b.Effects, b.Verb, b.Name = nil, branch.Verb, checkpoint
	return b, err
}

// changesOf returns a run's changes for wishes. If the run has ended, its objects are unknown, and only the units in
// the wishes are used.
func (c *Client) changesOf(ctx context.Context, a Address, wishes []Wish) ([]steer.Change, error) {
	if len(wishes) == 0 {
		return nil, nil
	}
	reached, err := c.Reach(ctx, a)
	if err != nil {
		return nil, err
	}
	defer reached.Close()
	if len(reached.Runs) != 1 || reached.Runs[0].Folder != filepath.Join(reached.Folder, a.Runs) {
		return Unseen(wishes)
	}
	changes, err := reached.Wanted(ctx, Order{Wishes: wishes})
	if err != nil {
		return nil, err
	}
	if of := changes[a.Runs]; of != nil { // else it has ended meanwhile
		return ofAnother(of), nil
	}
	return Unseen(wishes)
}
