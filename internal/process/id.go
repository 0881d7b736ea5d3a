package process

// The identity of a process in a record. A number alone is not enough: numbers are reused, and the loss of a run would
// be better than a signal to a foreign process.

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// ID identifies a process of this machine beyond its end.
type ID struct {
	PID int `json:"pid"`
	// distinguishes it from a later process of the same number; empty: not known on this system
	Mark string `json:"mark,omitempty"`
}

// Identify returns the identity of the process that has a number now.
func Identify(pid int) ID {
	mark, _ := startMark(pid)
	return ID{PID: pid, Mark: mark}
}

// Self is the identity of this process.
func Self() ID { return self() }

var self = sync.OnceValue(func() ID { return Identify(os.Getpid()) })

// Alive reports whether this very process runs. Where no mark is known the number
// decides.
func (id ID) Alive() bool {
	if id.PID <= 0 || !Exists(id.PID) {
		return false
	}
	now, zombie := startMark(id.PID)
	return !zombie && (id.Mark == "" || now == "" || now == id.Mark)
}

// Wait returns when the process has ended, perhaps a moment later, or with the error of ctx. It is for processes that
// are no children of this one.
func (id ID) Wait(ctx context.Context) error {
	tick := clock.Real.NewTicker(pollTime)
	defer tick.Stop()
	for id.Alive() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// pollTime is how often Wait looks.
const pollTime = 100 * time.Millisecond

// Kill ends a process that another host started, with all its descendants.
func Kill(id ID) {
	if id.Alive() {
		kill(id.PID)
	}
}

// KillGroup ends the rest of the group of a leader that this process started, even after the leader has ended. Call it
// at once after the end: its number is not reused while the group lives.
func KillGroup(pid int) { kill(pid) }

// KillSelf ends this process as a kill from outside would, for a demonstration solver.
func KillSelf() { Suicide(syscall.SIGKILL) }
