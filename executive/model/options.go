package model

import (
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// What a caller can get from a transient while it runs.

// TransientOptions are the progress events and checkpoints of transients.
type TransientOptions struct {
	// Observe, if set, gets an event of kind progress for every step. The transient waits
	// for it. Where several cases are solved at a time, several goroutines call it.
	Observe func(event.Event)

	// Checkpoint, if set, gets a checkpoint after the first step that reaches or passes each
	// multiple of Every, s, and when the transient is interrupted. It is called like
	// Observe. Its error ends the transient.
	Checkpoint func(*Checkpoint) error
	Every      float64 // s; 0: only when interrupted
	// Resume has the checkpoints from which transients go on, at most one a case.
	Resume []*Checkpoint
	// Steer, if set, returns the registry by which the transient of a case is steered, and what is to be called when
	// that ends; a nil registry: it is not. A transient whose inputs were changed writes no checkpoint any more.
	Steer func(name string) (*steer.Registry, func())
	// Version is the program's version, which checkpoints carry.
	Version string
	// Clock gives wall times; default: the real one.
	Clock clock.Clock
}
