package launch

// Launchers of several machines.

import (
	"context"
	"errors"
	"time"
)

// Placer is a launcher of several machines, each with a number of cores and an amount of memory. Tasks wait for room on
// a machine.
type Placer interface {
	Launcher

	// Place waits until a machine has room for a task, and returns its name, for TaskSpec.Slot. The caller calls
	// release when the task's run has ended, even if it starts none. wait is called with the reason for waiting,
	// whenever it changes; it may be nil.
	Place(ctx context.Context, n Need, wait func(why string)) (slot string, release func(), err error)

	// Room returns the number of tasks of one core that could run at a time now. Changed is closed when the number
	// changes.
	Room() (tasks int, changed <-chan struct{})
}

// Need lists the resources that a task needs on its machine.
type Need struct {
	Name      string // of its run, for people
	Component string // of the engine: components share the machines
	Cores     int    // at least 1
	Memory    int64  // bytes; 0: the rest
	Licences  map[string]int
	Handle    Handle // of a task that another host has left: its place is there if it lives; nil: none
	// the machine of its last attempt was lost: it is placed before tasks that wait for the first time
	MachineLost bool
	// Time returns how long runs of the component take without an interruption; 0: not known. The machine is one that
	// is lent for so long, or has just come. It is called while the task waits, and may be nil
	Time  func() time.Duration
	Whole bool // the machine has just come: its run was interrupted before
	Now   bool // only where there is room now, without waiting: ErrNoRoom
}

// ErrNoRoom is why a task that does not wait is not placed.
var ErrNoRoom = errors.New("no machine has room now")
