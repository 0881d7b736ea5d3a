package process

// Limits of a process with all its descendants, and how to end them all: a control group of the kernel where one can be
// made, else a Tree.

import (
	"os/exec"
	"time"
)

// Allowance is the limits of a process with all its descendants. Zero means no limit.
type Allowance struct {
	Memory int64   // bytes that are resident at a time
	Cores  float64 // time on processors per time that passes

	Processes int // at a time
}

// Cage holds a process, with all its descendants, to an allowance. No process leaves it.
type Cage interface {
	// Start starts a command in the cage, as [exec.Cmd.Start] does. It returns the started command, which may be a
	// copy. An [*OutsideError] reports that it runs, but outside of the cage.
	Start(cmd *exec.Cmd) (*exec.Cmd, error)

	// Full reports whether a process in the cage was ended, or must be, for the memory that all in it use together.
	Full() bool

	// Members is how many processes are in the cage.
	Members() int

	// Kill ends all that are in the cage.
	Kill()

	// Close removes the empty cage.
	Close()
}

// OutsideError reports that a process runs outside of its cage, or of a part of it.
type OutsideError struct{ Err error }

func (e *OutsideError) Error() string {
	return "it runs outside of its control group: " + e.Err.Error()
}

func (e *OutsideError) Unwrap() error { return e.Err }

// WatchTime is the interval at which a cage is checked for being full.
const WatchTime = 100 * time.Millisecond
