package hosting

// What a plugin may use, with all that it starts, and that nobody of these is left behind.
// The kernel sees to it where this process may make control groups. Elsewhere memory is held by
// looks at the process table, cores by the number of processors, and whoever has left the process
// group is found only if memory is limited.

import (
	"fmt"
	"math"
	"os/exec"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// system is what a host needs of the operating system to confine processes. Tests have others.
type system struct {
	cage  func(name string, a process.Allowance) (process.Cage, error)
	table func() ([]process.Entry, error)
	pin   func(pid, cores, turn int) error
}

// realSystem is this machine.
func realSystem(at clock.Clock) *system {
	t := &table{clock: at}
	return &system{process.NewCage, t.list, process.Pin}
}

// table is the process table, which all plugins of a host look at together.
type table struct {
	clock clock.Clock

	mu      sync.Mutex
	read    time.Time
	entries []process.Entry
	err     error
}

func (t *table) list() ([]process.Entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.read.IsZero() || clock.Since(t.clock, t.read) > process.WatchTime/2 {
		t.entries, t.err = process.Table()
		t.read = t.clock.Now()
	}
	return t.entries, t.err
}

// confined is a process with what holds it.
type confined struct {
	kernel process.Cage        // nil: none
	tree   *process.Tree       // nil: not needed
	pin    func(pid int) error // nil: not needed
}

// confine prepares what holds a process to its allowance. host and number name the process.
func (s *system) confine(host string, number int, a process.Allowance) *confined {
	name := fmt.Sprintf("%s-%d", host, number)
	var held confined
	var err error
	if held.kernel, err = s.cage(name, a); err == nil {
		return &held
	}
	if a.Cores > 0 {
		cores := max(1, int(math.Round(a.Cores)))
		held.pin = func(pid int) error { return s.pin(pid, cores, number) }
		if held.kernel, err = s.cage(name, process.Allowance{Memory: a.Memory}); err == nil {
			return &held
		}
	}
	if a.Memory > 0 {
		held.tree = process.NewTree(a, s.table)
		if held.kernel, err = s.cage(name, process.Allowance{}); err == nil {
			return &held
		}
	}
	held.kernel = nil
	return &held
}

// start starts a command that is confined.
func (c *confined) start(cmd *exec.Cmd) (*exec.Cmd, error) {
	var err error
	if c.kernel != nil {
		cmd, err = c.kernel.Start(cmd)
	} else {
		err = cmd.Start()
	}
	if err != nil {
		return cmd, err
	}
	if c.tree != nil {
		c.tree.Add(cmd.Process.Pid)
	}
	if c.pin != nil {
		_ = c.pin(cmd.Process.Pid) // it runs, on all processors
	}
	return cmd, nil
}

// full reports whether the process's memory was, or is, not enough.
func (c *confined) full() bool {
	return c.tree != nil && c.tree.Full() || c.kernel != nil && c.kernel.Full()
}

// clear ends whoever is left and removes the cages.
func (c *confined) clear() {
	if c.tree != nil {
		c.tree.Kill()
	}
	if c.kernel != nil {
		c.kernel.Kill()
		c.kernel.Close()
	}
}
