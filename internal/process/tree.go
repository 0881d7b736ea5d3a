package process

// What stands in for a cage where the kernel makes none: looks at the process table, which show who
// has started whom.

import (
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// rest waits a moment for the kernel.
func rest() { <-clock.Real.NewTimer(time.Millisecond).C }

// Tree holds a process by looks at the process table, where the kernel makes no cage. It knows the
// process's descendants as far as a look has seen them with their parents, and limits no cores.
// Its memory is the sum of what is resident of each, in which what they share counts for each.
// It is safe for concurrent use.
type Tree struct {
	allowance Allowance
	list      List

	mu    sync.Mutex
	known map[int]ID
}

// Entry is a line of the process table.
type Entry struct {
	ID
	Parent   int
	Resident int64 // bytes of memory
}

// List lists the processes, as Table does for this machine. Only if latest is set must the list be of
// this moment, and not of one shortly before.
type List func(latest bool) ([]Entry, error)

// NewTree returns a tree that looks at a process table.
func NewTree(a Allowance, list List) *Tree {
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
	used, _ := t.look(false)
	return t.allowance.Memory > 0 && used > t.allowance.Memory
}

// Look learns who is in the tree at this moment. Those whom a member has started are known from then
// on, also if that member ends.
func (t *Tree) Look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look(true)
}

// look reads the process table and returns the memory in use, and whether the table could be read. A member that the table lacks, as
// one that was read while it changed, stays one as long as it lives. The caller holds the lock.
func (t *Tree) look(latest bool) (used int64, ok bool) {
	entries, err := t.list(latest)
	if err != nil {
		return 0, false
	}
	living := map[int]ID{}
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
	for pid, id := range t.known {
		if _, seen := living[pid]; !seen && id.Alive() {
			living[pid] = id
		}
	}
	t.known = living
	return used, true
}

// rounds bounds the looks that are taken to find all of a tree, and deaths those, a millisecond apart or more, in which
// who was killed is to die: on a busy machine a thousand processes take their time.
const rounds, deaths = 1000, 3000

// Kill ends all that are in the tree. It stops them first: while some are ended, the others would
// start more, of whom nobody could say that they belong to the tree once their parents are gone.
func (t *Tree) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	stopped := map[ID]bool{}
	for round, quiet := 0, 0; round < rounds && quiet < 4; round++ { // several times: a stop takes a moment to reach all threads
		if _, ok := t.look(true); !ok {
			rest()
			continue
		}
		if len(t.known) == 0 {
			return
		}
		if quiet++; quiet > 1 {
			rest() // for a fork that is under way on a busy machine
		}
		for _, id := range t.known {
			if !stopped[id] && id.Alive() {
				stopOne(id.PID)
				stopped[id], quiet = true, 0
			}
		}
	}
	for range deaths {
		left := false
		for _, id := range t.known {
			if id.Alive() {
				killOne(id.PID)
				left = true
			}
		}
		if !left {
			return
		}
		rest()
		t.look(true)
	}
}
