package launch

// Launchers of several machines.

import "context"

// Placer is a launcher of several machines, each with so many cores and so much memory. Tasks wait for room on one of
// them.
type Placer interface {
	Launcher

	// Place waits until there is room for a task, and returns where, for TaskSpec.Slot. The caller calls release when
	// the task's run has ended, also if it starts none. wait is called with what the task waits for, whenever that
	// changes; it may be nil.
	Place(ctx context.Context, n Need, wait func(why string)) (slot string, release func(), err error)

	// Room is how many tasks of one core could run at a time now. Changed is closed when that changes.
	Room() (tasks int, changed <-chan struct{})
}

// Need is what a task needs of its machine.
type Need struct {
	Name        string // of its run, for people
	Component   string // of the engine: components share the machines
	Cores       int    // at least 1
	Memory      int64  // bytes; 0: what is left
	Licences    map[string]int
	MachineLost bool // the machine of its last attempt was lost: it is placed before tasks that wait for the first time
}
