package process

// What a process with all that it starts may use, and how to end all of it: a group of the
// kernel's where one can be made, else a Tree.

import (
	"os/exec"
	"time"
)

// Allowance is what a process may use, with all that it starts. What is zero has no limit.
type Allowance struct {
	Memory int64   // bytes that are resident at a time
	Cores  float64 // time on processors per time that passes

	Processes int // at a time
}

// Cage holds a process, with all that it starts, to an allowance. Nobody leaves it.
type Cage interface {
	// Start starts a command in the cage, as [exec.Cmd.Start] does. It returns the command that was
	// started, which may be a copy. An [*OutsideError] says that it runs, but outside of the cage.
	Start(cmd *exec.Cmd) (*exec.Cmd, error)

	// Full reports whether somebody in the cage was ended, or must be, for the memory that all in
	// it use together.
	Full() bool

	// Members is how many processes are in the cage.
	Members() int

	// Kill ends all that are in the cage.
	Kill()

	// Close removes the cage, in which nobody is left.
	Close()
}

// OutsideError says that a process runs that could not be brought into its cage, or not into all of it.
type OutsideError struct{ Err error }

func (e *OutsideError) Error() string {
	return "it runs outside of its control group: " + e.Err.Error()
}

func (e *OutsideError) Unwrap() error { return e.Err }

// WatchTime is how often a cage is looked at by whoever waits for it to be full.
const WatchTime = 100 * time.Millisecond
