package hosting

// Limits of a plugin with all its descendants; none of these may be left behind. The kernel enforces them if this
// process may make control groups. Elsewhere memory is limited by checks of the process table, cores by the number of
// processors, and processes that have left the process group are found only if memory is limited.

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// system is the functions of the operating system that confine processes. Tests have others.
type system struct {
	cage  func(name string, a process.Allowance) (process.Cage, error)
	table process.List
	pin   func(pid, cores, turn int) error
}

// realSystem is this machine.
func realSystem(at clock.Clock) *system {
	t := &table{clock: at}
	return &system{process.NewCage, t.list, process.Pin}
}

// table is the process table, shared by all plugins of a host.
type table struct {
	clock clock.Clock

	mu      sync.Mutex
	read    time.Time
	entries []process.Entry
	err     error
}

func (t *table) list(latest bool) ([]process.Entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if latest || t.read.IsZero() || clock.Since(t.clock, t.read) > process.WatchTime/2 {
		t.entries, t.err = process.Table()
		t.read = t.clock.Now()
	}
	return t.entries, t.err
}

// confined is a process with its limits.
type confined struct {
	system    *system
	allowance process.Allowance
	number    int

	kernel process.Cage  // nil: none
	tree   *process.Tree // nil: not needed
	pinned bool          // to processors, once it has started
}

// confine prepares the limits of a process. host and number name the process.
func (s *system) confine(host string, number int, a process.Allowance) *confined {
	name := fmt.Sprintf("%s-%d", host, number)
	held := &confined{system: s, allowance: a, number: number}
	var err error
	if held.kernel, err = s.cage(name, a); err == nil {
		return held
	}
	if held.pinned = a.Cores > 0; held.pinned {
		if held.kernel, err = s.cage(name, process.Allowance{Memory: a.Memory}); err == nil {
			return held
		}
	}
	if a.Memory > 0 || a.Processes > 0 {
		held.tree = process.NewTree(a, s.table)
		if held.kernel, err = s.cage(name, process.Allowance{}); err == nil {
			return held
		}
	}
	held.kernel = nil
	return held
}

// start starts a confined command. loose lists the limits that are not enforced, for people; the command still runs.
func (c *confined) start(cmd *exec.Cmd) (started *exec.Cmd, loose []string, err error) {
	if c.kernel != nil {
		cmd, err = c.kernel.Start(cmd)
	} else {
		err = cmd.Start()
	}
	if outside := new(process.OutsideError); errors.As(err, &outside) {
		c.pinned = c.allowance.Cores > 0
		if c.allowance.Memory > 0 || c.allowance.Processes > 0 {
			c.tree = process.NewTree(c.allowance, c.system.table)
		}
	} else if err != nil {
		return cmd, nil, err
	}
	if c.tree != nil {
		c.tree.Add(cmd.Process.Pid)
		if _, err := c.system.table(false); err != nil {
			loose = append(loose, fmt.Sprintf("its memory and its processes are not limited: %v", err))
		}
	}
	if c.pinned {
		cores := max(1, int(math.Round(c.allowance.Cores)))
		if err := c.system.pin(cmd.Process.Pid, cores, c.number); err != nil && process.Exists(cmd.Process.Pid) {
			loose = append(loose, fmt.Sprintf("its cores are not limited: %v", err))
		}
	}
	return cmd, loose, nil
}

// full reports whether the process's memory was, or is, not enough.
func (c *confined) full() bool {
	return c.tree != nil && c.tree.Full() || c.kernel != nil && c.kernel.Full()
}

// crowded reports whether the number of processes exceeds the limit.
func (c *confined) crowded() bool {
	most := c.allowance.Processes
	return most > 0 && (c.tree != nil && c.tree.Members() > most || c.kernel != nil && c.kernel.Members() > most)
}

// look records the descendants of the process, before it ends.
func (c *confined) look() {
	if c.tree != nil {
		c.tree.Look()
	}
}

// kill ends the process with all its descendants, where the kernel's cage does not.
func (c *confined) kill() {
	if c.tree != nil {
		c.tree.Kill()
	}
}

// clear ends all remaining processes and removes the cages.
func (c *confined) clear() {
	c.kill()
	if c.kernel != nil {
		c.kernel.Kill()
		c.kernel.Close()
	}
}
