package study

// Runs that were made twice, and differences of their answers.

import (
	"cmp"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/zoom/run"
)

// verifyEvery is the number of runs of which one, the first, is made twice.
const verifyEvery = 50

// checked records the runs of a study that may be made twice, and the answers that differ.
type checked struct {
	mu     sync.Mutex
	runs   int // counted runs; one in verifyEvery is made twice
	unlike []run.Unlike
}

// turn counts the runs, and reports whether the present run is to be made twice.
func (c *checked) turn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	return c.runs%verifyEvery == 1
}

// add records the difference of an outcome from another outcome.
func (c *checked) add(o *run.Outcome) {
	if o.Unlike == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if u := (run.Unlike{Run: o.Run, What: o.Unlike}); !slices.Contains(c.unlike, u) {
		c.unlike = append(c.unlike, u)
	}
}

// list returns the runs whose answers differ, sorted by run.
func (c *checked) list() []run.Unlike {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.unlike), func(a, b run.Unlike) int { return cmp.Compare(a.Run, b.Run) })
}
