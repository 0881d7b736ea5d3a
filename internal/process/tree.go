package process

// The replacement for a cage where the kernel makes none: checks of the process table, which lists the parent of each
// process.

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// rest waits a moment for the kernel.
func rest() { <-clock.Real.NewTimer(time.Millisecond).C }

// deaths bounds the time in which killed processes must end: on a busy machine a thousand processes take their time,
// and one that waits for a disk may never end.
const deaths = 10 * time.Second

// awaitDeaths repeats a check, ever more seldom, until it is true, at most for deaths.
func awaitDeaths(done func() bool) {
	end := clock.Real.Now().Add(deaths)
	for pause := time.Millisecond; !done() && clock.Real.Now().Before(end); pause = min(2*pause, 50*time.Millisecond) {
		<-clock.Real.NewTimer(pause).C
	}
}

// Tree holds a process by checks of the process table, where the kernel makes no cage. It knows the process's
// descendants as far as a check has seen them with their parents, and limits no cores. Its memory is the sum of the
// resident memory of each; shared memory counts for each. It is safe for concurrent use.
type Tree struct {
	allowance Allowance
	list      List

	mu     sync.Mutex
	known  map[int]ID
	parent map[int]int // of the processes that the last check saw
}

// Entry is a line of the process table.
type Entry struct {
	ID
	Parent   int
	Group    int   // number of its leader; 0: not known
	Resident int64 // bytes of memory
}

// List lists the processes, as Table does for this machine. With latest the list must be of this moment; else it may be
// slightly older.
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

// Look records the present members of the tree. Descendants of a member are known from then on, even after that member
// ends.
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

// bottomUp lists the members, descendants before their ancestors.
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

// rounds bounds the checks to find all of a tree.
const rounds = 100

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

// Kill ends all members of the tree. It stops them first: else some would start others while the rest are ended, and
// these could not be assigned to the tree after the end of their parents. A parent is killed after its descendants. The
// death of the process that ties a process group to its session makes the kernel continue the stopped processes of the
// group (POSIX, orphaned process groups), after a SIGHUP, which processes under nohup ignore.
func (t *Tree) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
	awaitDeaths(func() bool {
		left := false
		for _, id := range t.bottomUp() {
			if id.Alive() {
				killOne(id.PID)
				left = true
			}
		}
		if left {
			t.look(true)
		}
		return !left
	})
}
