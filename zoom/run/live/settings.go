// Package live holds the settings of a study that commands may change while it is under way.
package live

// What may be changed of a study's runs as a whole while it goes on: how many are made at a time, whether any starts,
// which come first, and which are not made at all.

import (
	"fmt"
	"path"
	"slices"
	"sync"
)

// Settings has the settings of a study that may change. All its pools follow them. The methods may be called by several
// goroutines.
type Settings struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced with each change
	workers int           // 0: as the pool says
	held    bool
	first   []string // patterns, the most urgent first
	urgent  bool     // of the others the nearest to where the engine works start first
	dropped []string // patterns

	branches branches
	wishes   wishes
}

// New returns the settings of a study before any change.
func New() *Settings {
	return &Settings{changed: make(chan struct{})}
}

func (c *Settings) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

// read returns what f reads under the lock; without settings zero.
func read[T any](c *Settings, f func() T) (v T) {
	if c == nil {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return f()
}

// Workers is how many runs are made at a time; 0: as many as the settings say.
func (c *Settings) Workers() int { return read(c, func() int { return c.workers }) }

// SetWorkers changes that. Runs that go on are not ended. Where runs are made on other machines, these say how many.
func (c *Settings) SetWorkers(n int) { c.change(func() { c.workers = n }) }

// Held reports whether no run starts. Those that go on do so.
func (c *Settings) Held() bool { return read(c, func() bool { return c.held }) }

// Hold holds what has not started, or lets it start.
func (c *Settings) Hold(held bool) { c.change(func() { c.held = held }) }

// First has the jobs whose names match a pattern, as of path.Match, start before all others of their component.
func (c *Settings) First(pattern string) error {
	if err := checkPattern(pattern); err != nil {
		return err
	}
	c.change(func() {
		c.first = slices.DeleteFunc(c.first, func(p string) bool { return p == pattern })
		c.first = slices.Insert(c.first, 0, pattern)
	})
	return nil
}

// Urgent reports whether those of a component's jobs start first whose points are the nearest to where the engine
// works.
func (c *Settings) Urgent() bool { return read(c, func() bool { return c.urgent }) }

// SetUrgent has them do so, or start in the order of the plan.
func (c *Settings) SetUrgent(on bool) { c.change(func() { c.urgent = on }) }

// Drop has the jobs whose names match a pattern, and that have not started, left out.
func (c *Settings) Drop(pattern string) error {
	if err := checkPattern(pattern); err != nil {
		return err
	}
	c.change(func() { c.dropped = append(c.dropped, pattern) })
	return nil
}

// Room is as many of a number of runs as may be under way; 0: none starts. changed is closed when that is another
// number, or what else the live settings say of jobs.
func (c *Settings) Room(runs int, fixed bool) (n int, changed <-chan struct{}) {
	if c == nil {
		return runs, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.held:
		runs = 0
	case c.workers > 0 && !fixed:
		runs = c.workers
	}
	return runs, c.changed
}

// urgencySteps is how finely the distances of jobs are told apart, in parts of a step of the plan; farther ones than
// farthest are not.
const (
	urgencySteps = 100
	farthest     = 1_000_000
)

// Priority returns the priority of a job whose point is so far from where the engine works, and why it is not to be
// made; empty: it is.
func (c *Settings) Priority(job string, remote float64) (priority int, dropped string) {
	if c == nil {
		return 0, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, pattern := range c.first {
		if matches(pattern, job) {
			priority = (len(c.first) - i) * (farthest + 1)
			break
		}
	}
	if c.urgent {
		priority -= int(min(urgencySteps*remote, farthest))
	}
	for _, pattern := range c.dropped {
		if matches(pattern, job) {
			return priority, "left out on command, as " + pattern
		}
	}
	return priority, ""
}

// checkPattern checks a pattern of names.
func checkPattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q: %w", pattern, err)
	}
	return nil
}

// matches reports whether a name matches a pattern that was checked.
func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok
}
