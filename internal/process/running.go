package process

// Operations on a running program: a signal to it, and a stop of it with all its descendants.

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// Running is a program that a Command has started.
type Running struct {
	process *os.Process
	tree    *Tree

	mu    sync.Mutex
	still bool
}

func newRunning(p *os.Process) *Running {
	tree := NewTree(Allowance{}, func(bool) ([]Entry, error) { return Table() })
	tree.Add(p.Pid)
	return &Running{process: p, tree: tree}
}

// Signal sends a signal to the program alone.
func (r *Running) Signal(name string) error {
	s, known := messages[name]
	if !known {
		return fmt.Errorf("no signal %s can be sent here: %w", name, errors.ErrUnsupported)
	}
	return r.process.Signal(s)
}

// Hold stops the program, with all its descendants, until GoOn.
func (r *Running) Hold() error {
	if len(messages) == 0 {
		return errors.ErrUnsupported
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.still = true
	r.tree.hold()
	return nil
}

// GoOn ends Hold.
func (r *Running) GoOn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.still {
		r.still = false
		r.tree.goOn()
	}
}
