package model

// What a caller may ask of a transient besides its result.

import (
	"time"

	"github.com/peregrine-sim/peregrine/config"
)

// TransientOptions say what is done beside a transient while it runs.
type TransientOptions struct {
	// Progress, if set, is told of every step, by several goroutines where several
	// cases are solved at a time. The transient waits for it.
	Progress func(Progress)

	// Checkpoint, if set, is given a checkpoint after the first step to or beyond each
	// multiple of Every, s, and when the transient is interrupted, in the same manner as
	// Progress. Its error ends the transient.
	Checkpoint func(*Checkpoint) error
	Every      float64 // 0: only when interrupted
	// Resume are checkpoints, at most one a case, from which transients go on.
	Resume []*Checkpoint
	// Version is that of the program, which checkpoints carry.
	Version string
}

// Progress tells how far a transient is.
type Progress struct {
	Case     string
	T        float64 // reached, s
	Duration float64 // of the whole, s
	Step     float64 // the integrator's last, s
	Steps    int
	Wall     time.Duration // that it took so far
	// The last point of the history, at T or a little before: columns and values, SI
	// units, speeds in rpm. Neither is to be kept or changed.
	Columns []config.Quantity
	Values  []float64
}
