// Package live holds the settings of a study that commands may change while it is under way.
package live

// The settings of a study's runs as a whole that may change while it is under way: how many run at a time, whether runs
// may start, which start first, and which are left out.

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
	workers int           // 0: the pool's number
	held    bool
	first   []string // patterns, the most urgent first
	urgent  bool     // then the nearest to an operating point start first
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

// read returns the result of f under the lock; without settings zero.
func read[T any](c *Settings, f func() T) (v T) {
	if c == nil {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return f()
}

// Workers returns the number of runs at a time; 0: the number in the pool's settings.
func (c *Settings) Workers() int { return read(c, func() int { return c.workers }) }

// SetWorkers sets that number. Runs in progress are not ended. It has no effect on runs on other machines, whose number
// these determine.
func (c *Settings) SetWorkers(n int) { c.change(func() { c.workers = n }) }

// Held reports whether starts are held. Runs in progress continue.
func (c *Settings) Held() bool { return read(c, func() bool { return c.held }) }

// Hold holds the jobs that have not started, or releases them.
func (c *Settings) Hold(held bool) { c.change(func() { c.held = held }) }

// First lets the jobs whose names match a pattern (of path.Match) start before all others of their component.
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

// Urgent reports whether, within a component, the jobs nearest to an operating point of the engine start first.
func (c *Settings) Urgent() bool { return read(c, func() bool { return c.urgent }) }

// SetUrgent makes them do so, or start in the order of the plan.
func (c *Settings) SetUrgent(on bool) { c.change(func() { c.urgent = on }) }

// Drop leaves out the jobs whose names match a pattern and that have not started.
func (c *Settings) Drop(pattern string) error {
	if err := checkPattern(pattern); err != nil {
		return err
	}
	c.change(func() { c.dropped = append(c.dropped, pattern) })
	return nil
}

// Room returns the number of runs that may be under way, given the pool's; 0: none starts. With fixed, Workers does not
// count. changed is closed when any live setting of jobs changes.
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

// Priority returns the priority of a job at a distance from the operating points, and the reason why it is dropped;
// empty: it is not.
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
