package attempt

// The commands of the host itself: orders of its monitor, and commands that the study keeps for runs yet to start.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// order sends a command to the run, which continues. If the solver does not support the command or does not answer,
// order records a warning.
func (a *attempt) order(o Instruction) {
	ctx, cancel := context.WithTimeout(context.Background(), a.Limits.Grace)
	defer cancel()
	if o.Beyond {
		a.forgetKey()
	}
	if err := a.command(ctx, o); err != nil {
		a.stream.fromHost(event.Warning, fmt.Sprintf("%s: %s: %v", o.Reason, o.Verb, err), nil)
		return
	}
	a.stream.ordered(o, a.process.Description.Steers)
}

// command gives the run an order, and returns when it was accepted.
func (a *attempt) command(ctx context.Context, o Instruction) error {
	switch {
	case o.Verb == "":
		return nil
	case o.Verb == Rewind && !a.process.Description.Steers:
		return errors.New("its solver cannot be steered: it cannot rewind")
	case o.Verb == steer.Checkpoint && o.Name == "" && !a.process.Description.Checkpoints:
		return errors.New("its solver writes no checkpoint from which the host can restart a run")
	}
	a.ordered++
	c := o.Command
	c.ID, c.By = fmt.Sprintf("order %d", a.ordered), o.Reason
	if o.Verb == Rewind {
		back := branch.Rewinding{ID: c.ID + " rewind", Checkpoint: o.Name, Changes: o.Changes, By: o.Reason,
			Time: a.Clock.Now().UTC()}
		if err := a.rewind(ctx, back); err != nil {
			return err
		}
		c = steer.Command{ID: c.ID, Verb: steer.Stop, By: c.By}
	}
	a.stream.owns(c)
	return a.process.Client.Give(ctx, c, a.run)
}

// rewind records that the next attempt continues from a checkpoint. It waits for checkpoints that were ordered and are
// not saved yet: two rules may act on events that come together.
func (a *attempt) rewind(ctx context.Context, back branch.Rewinding) error {
	for {
		saving := a.stream.isSaving()
		err := branch.Rewind(a.folder, back)
		if err == nil || !saving || clock.Sleep(ctx, a.Clock, savingTime) != nil {
			return err
		}
	}
}

// savingTime is the pause between two looks at whether a checkpoint is saved.
const savingTime = 10 * time.Millisecond

// board returns the rules that the solver judges itself. In a run that continues from a checkpoint these rules have not
// seen the earlier iterations: its answer depends on that, and is not cached.
func (a *attempt) board(d plugin.Description) string {
	b, ok := a.Monitor.(Boarder)
	if !ok {
		return ""
	}
	text := b.Board(a.run, d.Judges)
	if text != "" && a.task.Start != nil {
		a.forgetKey()
		a.stream.dependsBeyond()
	}
	return text
}

// stoppedAboard returns the reason if one of the run's own rules stopped it; nil: none did.
func (a *attempt) stoppedAboard(got *answer) *Halt {
	if got.err != nil || got.result.Class != event.Killed {
		return nil
	}
	h := a.stream.halted()
	if h != nil {
		h.byMonitor = true
	}
	return h
}

// pausedTimer returns the timer after which the host checks whether another process has resumed a paused run. It never
// fires for a run that is not paused.
func (a *attempt) pausedTimer(clk clock.Clock) *clock.Timer {
	if !a.stream.isPaused() {
		return clock.Never()
	}
	return clk.NewTimer(lookTime)
}

// writeRecord writes the run's record with the commands with which the run begins. It repeats until no command was
// added meanwhile: a process that adds a later command finds the record, and sends the command to the run.
func (a *attempt) writeRecord(steers bool) error {
	given := a.record.Commands
	for {
		if err := record.Write(a.folder, a.record); err != nil || !steers {
			return err
		}
		kept, err := a.kept()
		if err != nil {
			return err
		}
		all := slices.Concat(given, kept)
		if slices.EqualFunc(all, a.record.Commands, func(a, b steer.Command) bool { return a.ID == b.ID }) {
			return nil
		}
		a.record.Commands = all
	}
}

// kept returns the commands that the study keeps for the run.
func (a *attempt) kept() ([]steer.Command, error) {
	if a.Bare {
		return nil, nil
	}
	list, err := record.ReadPending(a.Host.Folder())
	commands := record.PendingOf(list, a.run)
	if a.task.Start != nil { // the earlier run passed this sync point, so this run need not wait there
		commands = slices.DeleteFunc(commands, func(c steer.Command) bool { return a.task.Start.Stood[c.ID] })
	}
	return commands, err
}

// begin returns when the run may begin. A run whose solver cannot be steered is held here.
func (a *attempt) begin(ctx context.Context, steers bool) error {
	for said := false; !steers; said = true {
		kept, err := a.kept()
		held := slices.ContainsFunc(kept,
			func(c steer.Command) bool { return c.Verb == steer.Sync && c.Name == record.StartPoint })
		if err != nil || !held {
			return err
		}
		if !said {
			a.stream.fromHost(event.Message, "held until the study is released", nil)
		}
		if clock.Sleep(ctx, a.Clock, lookTime) != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// letGo ends the holds with which the run began, if the study has cancelled them since: the process that cancelled them
// may have been killed before it reached the run. The run gets the same command, and applies it once, by ID, even if it
// gets it twice.
func (a *attempt) letGo() {
	held := slices.DeleteFunc(slices.Clone(a.record.Commands), func(c steer.Command) bool {
		return !record.Holds(c) || a.released[c.ID]
	})
	if len(held) == 0 {
		return
	}
	list, err := record.ReadPending(a.Host.Folder())
	if err != nil {
		return // the next look reads it again
	}
	for _, c := range held {
		end, ended := record.EndOf(list, a.run, c)
		if !ended {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), a.Limits.Grace)
		if a.process.Client.Give(ctx, end, a.run) == nil {
			if a.released == nil {
				a.released = map[string]bool{}
			}
			a.released[c.ID] = true
		}
		cancel()
	}
}

// lookTime is the longest delay until the host notes that another process has resumed a paused run.
const lookTime = time.Second / 2

// commands returns the commands of other processes since the last call.
func (a *attempt) commands() []record.CommandRecord {
	list, err := record.ReadCommands(a.folder)
	if err != nil {
		a.stream.fromHost(event.Warning, err.Error(), nil)
	}
	if a.commanded == nil {
		a.commanded = map[string]bool{}
	}
	fresh := slices.DeleteFunc(list, func(c record.CommandRecord) bool { return a.commanded[c.ID] || c.Steers })
	for _, c := range fresh {
		a.commanded[c.ID] = true
	}
	return fresh
}

// recordCommands records the commands of other processes, in their order.
func (a *attempt) recordCommands() {
	for _, c := range a.commands() {
		switch c.Verb {
		case steer.Resume:
			a.stream.resumed(c.Event())
		case steer.Stop:
			a.stopping = a.stream.add(c.Event())
		default:
			a.stream.add(c.Event())
		}
	}
}
