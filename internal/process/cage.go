package process

// What a process with all that it starts may use, and how to end all of it: a group of the
// kernel's where one can be made, else what a look at the process table shows now and then.

import (
	"os/exec"
	"sync"
	"time"
)

// Allowance is what a process may use, with all that it starts. What is zero has no limit.
type Allowance struct {
	Memory int64   // bytes that are resident at a time
	Cores  float64 // time on processors per time that passes
}

// Cage holds a process, with all that it starts, to an allowance. Nobody leaves it.
type Cage interface {
	// Start starts a command in the cage, as [exec.Cmd.Start] does. It returns the command that was
	// started, which may be a copy. An [*OutsideError] says that it runs, but outside of the cage.
	Start(cmd *exec.Cmd) (*exec.Cmd, error)

	// Full reports whether somebody in the cage was ended, or must be, for the memory that all in
	// it use together.
	Full() bool

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

// Tree holds a process by looks at the process table, where the kernel makes no cage. It knows the
// process's descendants as far as a look has seen them with their parents, and limits no cores.
// Its memory is the sum of what is resident of each, in which what they share counts for each.
// It is safe for concurrent use.
type Tree struct {
	allowance Allowance
	list      func() ([]Entry, error)

	mu    sync.Mutex
	known map[int]ID
}

// Entry is a line of the process table.
type Entry struct {
	ID
	Parent   int
	Resident int64 // bytes of memory
}

// NewTree returns a tree that looks at a process table, which Table is on this machine.
func NewTree(a Allowance, list func() ([]Entry, error)) *Tree {
	return &Tree{allowance: a, list: list, known: map[int]ID{}}
}

// Add puts a process that has just been started into the tree.
func (t *Tree) Add(pid int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[pid] = Identify(pid)
}

// Full looks at the process table, and reports whether the tree uses more memory than it may.
func (t *Tree) Full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.look()
}

// look is Full under the lock.
func (t *Tree) look() bool {
	entries, err := t.list()
	if err != nil {
		return false
	}
	used, living := int64(0), map[int]ID{}
	for more := true; more; { // until no more children are found
		more = false
		for _, e := range entries {
			if _, seen := living[e.PID]; seen {
				continue
			}
			_, child := living[e.Parent]
			if t.known[e.PID] == e.ID || child {
				living[e.PID], more = e.ID, true
				used += e.Resident
			}
		}
	}
	t.known = living
	return t.allowance.Memory > 0 && used > t.allowance.Memory
}

// Kill ends all that a look finds in the tree.
func (t *Tree) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look()
	for _, id := range t.known {
		if id.Alive() {
			killOne(id.PID)
		}
	}
}
