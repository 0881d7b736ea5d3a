// Package view makes what people see of a study from its events, and from nothing
// else: so a terminal, a log on the disk and a study of last year are shown by the same
// code.
package view

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Board follows the events of a study. Its methods may be called from several goroutines.
type Board struct {
	mu      sync.Mutex
	p       Progress
	running map[string]Running
	cases   map[string]Case
	spent   time.Duration // wall time of the runs that ended
	ran     int           // how many these are
}

// Running is a run that goes on.
type Running struct {
	Run       string
	Iteration float64
	Residual  float64 // 0: none reported yet
	Started   time.Time
}

// Case is a transient or a sweep that goes on.
type Case struct {
	Name   string
	Values map[string]float64 // of its last progress event
	Wall   time.Duration      // that it took so far
	At     time.Time          // of its last progress event
}

// Progress is how far a study is.
type Progress struct {
	Planned, Done  int           // jobs
	Cached, Failed int           // of those done
	Running        []Running     // by name
	Cases          []Case        // by name
	Mean           time.Duration // of a run; 0: none has ended yet
	Ended          bool          // the study has
}

// NewBoard returns the board of a study of which nothing is known.
func NewBoard() *Board {
	b := &Board{}
	b.reset()
	return b
}

// Of returns the board of a study by all its events.
func Of(events []event.Event) *Board {
	b := NewBoard()
	for _, e := range events {
		b.Observe(e)
	}
	return b
}

func (b *Board) reset() {
	b.p, b.running, b.cases, b.spent, b.ran = Progress{}, map[string]Running{}, map[string]Case{}, 0, 0
}

// Observe takes an event.
func (b *Board) Observe(e event.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.Kind {
	case event.StudyBegun: // for the first time, or by another command that goes on with it
		b.reset()
	case event.StudyEnded:
		b.p.Ended, b.running, b.cases = true, map[string]Running{}, map[string]Case{}
	case event.Planned:
		b.p.Planned++
	case event.Started:
		if e.Source == event.Host {
			b.running[e.Run] = Running{Run: e.Run, Started: e.Time}
		}
	case event.Iteration:
		b.iteration(e)
	case event.Progress:
		b.cases[e.Name] = Case{e.Name, e.Values, time.Duration(e.Wall * float64(time.Second)), e.Time}
	case event.Engine:
		delete(b.cases, e.Name)
	case event.Ended:
		b.ended(e)
	}
}

func (b *Board) iteration(e event.Event) {
	r, ok := b.running[e.Run]
	if !ok {
		return
	}
	r.Iteration = max(r.Iteration, e.Values["iteration"])
	if v, ok := e.Values["residual"]; ok {
		r.Residual = v
	}
	b.running[e.Run] = r
}

func (b *Board) ended(e event.Event) {
	if e.Source != event.Host && e.Source != event.Executive {
		return // what a solver says of its end the host repeats
	}
	delete(b.running, e.Run)
	if !e.Cached {
		b.spent += time.Duration(e.Wall * float64(time.Second))
		b.ran++
	}
	if e.Follows {
		return
	}
	b.p.Done++
	if e.Cached {
		b.p.Cached++
	}
	if e.Class != event.Converged {
		b.p.Failed++
	}
}

// Progress returns the present state.
func (b *Board) Progress() Progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.p
	for _, run := range slices.Sorted(maps.Keys(b.running)) {
		p.Running = append(p.Running, b.running[run])
	}
	for _, name := range slices.Sorted(maps.Keys(b.cases)) {
		p.Cases = append(p.Cases, b.cases[name])
	}
	if b.ran > 0 {
		p.Mean = b.spent / time.Duration(b.ran)
	}
	return p
}
