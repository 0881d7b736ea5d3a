package attempt

// Warm solvers. A process whose solver is reusable makes run after run, because start, handshake, description and end
// cost more than many a run. Run folder, record, lease and watch are as in a fresh process. A process is ended if its
// run gave no answer, if it has made many runs, if its memory has grown, if it left a process of its own running, or if
// its program was written since its start: then it may be another program than the brand says.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

const (
	// mostRuns is how many runs a process makes.
	mostRuns = 1000
	// mostGrowth is how much more memory than after its first run a process may hold, bytes.
	mostGrowth = 256 << 20
)

// shelf holds processes that wait for a run, by their brand.
type shelf struct {
	mu     sync.Mutex
	idle   map[string][]*Process
	closed bool
}

// brand identifies processes that can take each other's runs: same program, slot, terms and limits.
func brand(program launch.Program, slot string, t plugin.Terms, l Limits) string {
	who, err := Identity(program)
	if err != nil { // the start of the program reports the error
		who = err.Error()
	}
	return fmt.Sprintf("%q %q %q %v %v %v", slot, program.Command, program.Environment, who, t, l)
}

// take returns a process of a brand, the last one put; nil if none waits.
func (s *shelf) take(brand string) *Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.idle[brand]
	if len(list) == 0 {
		return nil
	}
	s.idle[brand] = list[:len(list)-1]
	return list[len(list)-1]
}

// put keeps a process, and reports whether it did so.
func (s *shelf) put(p *Process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.idle == nil {
		s.idle = map[string][]*Process{}
	}
	s.idle[p.brand] = append(s.idle[p.brand], p)
	return true
}

// clear ends all processes, also processes given back later.
func (s *shelf) clear(grace time.Duration) {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, list := range idle {
		for _, p := range list {
			wg.Go(func() { p.Stop(grace) })
		}
	}
	wg.Wait()
}

// borrow returns a solver for a run in a folder: an idle process or a new one. Its errors are as of Start. Give it back
// in the end.
func (h *Host) borrow(ctx context.Context, program launch.Program, slot, folder string, t plugin.Terms,
	limits Limits) (*Process, error) {
	changed := Unchanged(program) // before the brand, which is of the files of now
	of := brand(program, slot, t, limits)
	for p := h.shelf.take(of); p != nil; p = h.shelf.take(of) {
		if !closedWithin(p.Done(), 0) {
			p.Task.Turn(folder)
			return p, nil
		}
		p.Stop(limits.Grace)
	}
	p, err := h.startIn(ctx, slot, program, folder, t, limits)
	if p != nil {
		p.brand, p.alone, p.changed = of, program.Code != "", changed
	}
	return p, err
}

// giveBack takes a solver whose run has ended. The process waits for the next run, or is ended.
func (h *Host) giveBack(p *Process, healthy bool, grace time.Duration) {
	p.runs++
	if healthy = healthy && p.Description.Reusable && p.brand != "" && p.runs < mostRuns; healthy {
		if p.runs == 1 {
			p.resident = p.used.Resident
		}
		healthy = p.used.Resident-p.resident < mostGrowth && (p.alone || !p.Task.Children())
	}
	if !healthy || p.changed() != nil || !h.shelf.put(p) {
		p.Stop(grace)
	}
}

// The identity of a solver in cache keys: a changed program must not find the answers of the earlier one.

// Identity returns the properties that distinguish a program from others: the variables added to its environment,
// Program.Version and Program.Code. Without a Code it contains instead the hashes of the program and of every file
// among its arguments (scripts), and all other arguments.
func Identity(p launch.Program) (any, error) {
	id := map[string]any{"env": slices.Sorted(slices.Values(p.Environment)), "identity": p.Version}
	if p.Code != "" {
		id["code"] = p.Code
		return id, nil
	}
	var err error
	id["command"], err = launch.Contents(p.Command)
	if err != nil {
		return nil, &launch.ProgramError{Command: p.Command, Err: err}
	}
	return id, nil
}

// Unchanged returns a function that returns an error if the program is no longer the one of the moment of the call, or
// if its files were written since: the program may have been another one between.
func Unchanged(p launch.Program) func() error {
	switch {
	case p.Watch != nil:
		return p.Watch()
	case p.Code != "":
		return func() error { return nil }
	}
	stamps := launch.Stamps(p.Command)
	before, lost := launch.Contents(p.Command)
	return func() error {
		written := launch.Stamps(p.Command) != stamps
		now, err := launch.Contents(p.Command)
		switch err = errors.Join(lost, err); {
		case err != nil:
			return err
		case !slices.Equal(before, now):
			return fmt.Errorf("%s has changed", p.Command)
		case written:
			return fmt.Errorf("%s was written during the run", p.Command)
		}
		return nil
	}
}
