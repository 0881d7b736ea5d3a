package process

// What stands in for a cage where the kernel makes none: looks at the process table, which show who
// has started whom.

import (
	"maps"
	"slices"
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

	mu     sync.Mutex
	known  map[int]ID
	parent map[int]int // of those that the last look saw
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
	used := t.look(false)
	return t.allowance.Memory > 0 && used > t.allowance.Memory
}

// Members looks at the process table, and returns how many are in the tree.
func (t *Tree) Members() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look(false)
	return len(t.known)
}

// Look learns who is in the tree at this moment. Those whom a member has started are known from then
// on, also if that member ends.
func (t *Tree) Look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look(true)
}

// look reads the process table and returns the memory in use. The caller holds the lock.
func (t *Tree) look(latest bool) (used int64) {
	entries, err := t.list(latest)
	if err != nil {
		return 0
	}
	living, parent := map[int]ID{}, map[int]int{}
	for more := true; more; { // until no more children are found
		more = false
		for _, e := range entries {
			if _, seen := living[e.PID]; seen {
				continue
			}
			_, child := living[e.Parent]
			if t.known[e.PID] == e.ID || child {
				living[e.PID], parent[e.PID], more = e.ID, e.Parent, true
				used += e.Resident
			}
		}
	}
	t.known, t.parent = living, parent
	return used
}

// bottomUp lists the members, those before others whom the others have started.
func (t *Tree) bottomUp() []ID {
	depth := func(id ID) (n int) {
		for pid := id.PID; n < len(t.known); n++ { // a table that was read while it changed may have a circle
			if _, in := t.known[t.parent[pid]]; !in {
				break
			}
			pid = t.parent[pid]
		}
		return n
	}
	list := slices.Collect(maps.Values(t.known))
	slices.SortFunc(list, func(a, b ID) int { return depth(b) - depth(a) })
	return list
}

// rounds bounds the looks that are taken to find all of a tree, and deaths those, a millisecond apart or more, in which
// who was killed is to die: on a busy machine a thousand processes take their time.
const rounds, deaths = 100, 3000

// hold makes all that are in the tree stand still.
func (t *Tree) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
}

// stop is hold, of a caller who has the lock.
func (t *Tree) stop() {
	stopped := map[ID]bool{}
	// twice: a stop takes a moment to reach all threads
	for round, quiet := 0, 0; round < rounds && quiet < 2; round++ {
		t.look(true)
		quiet++
		for _, id := range t.known {
			if !stopped[id] && id.Alive() {
				stopOne(id.PID)
				stopped[id], quiet = true, 0
			}
		}
	}
}

// goOn ends hold.
func (t *Tree) goOn() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.look(true)
	for _, id := range t.known {
		if id.Alive() {
			continueOne(id.PID)
		}
	}
}

// Kill ends all that are in the tree. It stops them first: while some are ended, the others would
// start more, of whom nobody could say that they belong to the tree once their parents are gone. Who has started
// others is killed after them: with the death of the one that ties a process group to its session the kernel lets the
// stopped ones of the group go on (POSIX, orphaned process groups), after a SIGHUP, which those under nohup ignore.
func (t *Tree) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
	for range deaths {
		left := false
		for _, id := range t.bottomUp() {
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
