package live

// The branches in a study's live settings: requested, in a pool, and ended.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

// branches are the branches of the live settings, under the lock of these.
type branches struct {
	folder string // of the study; empty: it has none
	list   []*branch.Branch
	jobs   map[string]bool // that its pools were asked for
	over   bool            // the study makes no runs any more
}

// Continue lets the live settings take branches of the runs in a study's folder, and reads the branches requested
// earlier.
func (c *Settings) Continue(folder string) error {
	list, err := branch.Read(folder)
	if err != nil {
		return fmt.Errorf("branches of the study: %w", err)
	}
	c.change(func() { c.branches = branches{folder: folder, list: list, jobs: map[string]bool{}} })
	return nil
}

// errOver reports a branch that comes too late.
var errOver = errors.New("the study has made all its runs: run it again, and branch while it works")

// Branch requests that a run is made a second time from one of its checkpoints, and returns the name of the new run. A
// request with the ID of an earlier one returns that branch. The error is a [*CheckpointError] if the checkpoint does
// not exist.
func (c *Settings) Branch(w branch.Wanted) (name string, err error) {
	c.change(func() { name, err = c.branch(w) })
	return name, err
}

// branch is Branch for a caller that holds the lock.
func (c *Settings) branch(w branch.Wanted) (string, error) {
	b := &c.branches
	if i := slices.IndexFunc(b.list, func(o *branch.Branch) bool { return o.ID == w.ID }); i >= 0 {
		return b.list[i].Name, nil
	}
	switch {
	case b.folder == "":
		return "", errors.New("this study takes no branches")
	case b.over:
		return "", errOver
	}
	if root := branch.RootOf(w.Run, b.list); !b.jobs[root] {
		return "", fmt.Errorf("the process that works on the study has not asked for %s (yet)%s", root,
			spell.Hint(root, slices.Sorted(maps.Keys(b.jobs))))
	}
	one, err := branch.New(b.folder, w, b.list)
	if err != nil {
		return "", err
	}
	if err := one.Keep(b.folder); err != nil {
		return "", err
	}
	b.list = append(b.list, one)
	return one.Name, nil
}

// Know notes the jobs that a pool is asked for.
func (c *Settings) Know(jobs []run.Job) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.branches.over = false
	for _, j := range jobs {
		if c.branches.jobs != nil {
			c.branches.jobs[j.Name] = true
		}
	}
}

// Take gives a pool the untaken branches of the jobs that it has.
func (c *Settings) Take(has func(job string) bool) (list []*branch.Branch) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.branches.list {
		if !b.Taken && has(b.Root) {
			b.Taken = true
			list = append(list, b)
		}
	}
	return list
}

// End notes how a branch ended.
func (c *Settings) End(b *branch.Branch, class event.Class) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.Ended != "" {
		return nil
	}
	b.Ended = cmp.Or(class, run.NotRun)
	return b.Keep(c.branches.folder)
}

// Settle closes the list of branches if no pool can make any more of them. It returns as lost the branches of jobs that
// no pool was asked for.
func (c *Settings) Settle() (lost []*branch.Branch, settled bool) {
	if c == nil {
		return nil, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.branches.list {
		switch {
		case b.Taken:
		case c.branches.jobs[b.Root]:
			return nil, false
		case b.Ended == "":
			lost = append(lost, b)
		}
	}
	c.branches.over = true
	return lost, true
}
