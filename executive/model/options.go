package model

import (
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// What a caller may ask of a transient besides its result.

// TransientOptions say what is done beside a transient while it runs.
type TransientOptions struct {
	// Observe, if set, gets an event of kind progress for every step, from several
	// goroutines where several cases are solved at a time. The transient waits for it.
	Observe func(event.Event)

	// Checkpoint, if set, is given a checkpoint after the first step to or beyond each
	// multiple of Every, s, and when the transient is interrupted, in the same manner as
	// Observe. Its error ends the transient.
	Checkpoint func(*Checkpoint) error
	Every      float64 // 0: only when interrupted
	// Resume are checkpoints, at most one a case, from which transients go on.
	Resume []*Checkpoint
	// Version is that of the program, which checkpoints carry.
	Version string
	// Clock is that of wall times; default: the real one.
	Clock clock.Clock
}
