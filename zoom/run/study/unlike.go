package study

// Runs that were made twice, and differences of their answers.

import (
	"cmp"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/zoom/run"
)

// verifyEvery is how many runs there are to one that is made twice; the first one is.
const verifyEvery = 50

// checked are the runs of a study that were made twice, and those whose answers differ.
type checked struct {
	mu     sync.Mutex
	runs   int // of which one in fifty is made twice
	unlike []run.Unlike
}

// turn counts the runs, and reports whether this one is to be made twice.
func (c *checked) turn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	return c.runs%verifyEvery == 1
}

// add records how an outcome differs from another one.
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

// list returns them by run.
func (c *checked) list() []run.Unlike {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.unlike), func(a, b run.Unlike) int { return cmp.Compare(a.Run, b.Run) })
}
