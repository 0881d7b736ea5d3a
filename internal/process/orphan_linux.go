package process

// Processes that a program leaves behind: this process becomes their parent, wherever they went, and ends them.

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// orphans are the children of this process that a program has started and left. Nil has none.
type orphans struct{ before map[int]bool } // children from before the program's start

// orphanTime is how long the processes that a program leaves may take to end by themselves, as the last of a pipeline
// does.
const orphanTime = time.Second

// adopt makes this process the parent of all orphans among its descendants (prctl(2), PR_SET_CHILD_SUBREAPER), and
// notes its present children.
func adopt() *orphans {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return nil
	}
	o := &orphans{before: map[int]bool{}}
	for _, pid := range children(os.Getpid()) {
		o.before[pid] = true
	}
	return o
}

// left returns the orphans that live, and takes note of the ends of the others, so that the kernel forgets them.
func (o *orphans) left() (list []int) {
	if o == nil {
		return nil
	}
	for _, pid := range children(os.Getpid()) {
		if o.before[pid] || programs.has(pid) {
			continue
		}
		if ended, _ := unix.Wait4(pid, nil, unix.WNOHANG, nil); ended != pid {
			list = append(list, pid)
		}
	}
	return list
}

// end waits a moment for the orphans, and kills the rest with all that they have started.
func (o *orphans) end() {
	list := o.left()
	for begun := clock.Real.Now(); len(list) > 0 && clock.Since(clock.Real, begun) < orphanTime; list = o.left() {
		rest()
	}
	for n := 0; len(list) > 0 && n < rounds; n++ { // their children become orphans in turn
		tree := NewTree(Allowance{}, func(bool) ([]Entry, error) { return Table() })
		for _, pid := range list {
			tree.Add(pid)
		}
		tree.Kill()
		list = o.left()
	}
}
