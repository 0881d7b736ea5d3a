// Package view turns the events of a study into text for people. It uses only the events, so
// that the same code shows a running study, a log on the disk and a study of last year.
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
	mu        sync.Mutex
	p         Progress
	running   map[string]Running
	cases     map[string]Case
	hosts     hosts
	spent     time.Duration // wall time of the runs that ended
	runsEnded int           // their number
}

// Running is a run that has not ended.
type Running struct {
	Run       string
	Iteration float64
	Residual  float64 // 0: none reported yet
	Started   time.Time
	Host      string        // machine; empty: not said
	Waited    time.Duration // for a node
	cores     int
}

// Case is a transient or a sweep that has not ended.
type Case struct {
	Name   string
	Values map[string]float64 // of its last progress event
	Wall   time.Duration      // elapsed so far
	At     time.Time          // of its last progress event
}

// Progress is the state of a study.
type Progress struct {
	Planned, Done  int           // jobs
	Cached, Failed int           // of those done
	Running        []Running     // by name
	Cases          []Case        // by name
	Nodes          []Node        // that runs went to, by name; none: this machine alone
	Blocks         []Block       // of nodes, that have not ended, by ID
	Mean           time.Duration // wall time of a run; 0: none has ended yet
	Ended          bool          // the study has ended
}

// NewBoard returns a board that has seen no event.
func NewBoard() *Board {
	b := &Board{}
	b.reset()
	return b
}

// Of returns a board that has seen all events of a study.
func Of(events []event.Event) *Board {
	b := NewBoard()
	for _, e := range events {
		b.Observe(e)
	}
	return b
}

func (b *Board) reset() {
	b.p, b.running, b.cases, b.spent, b.runsEnded = Progress{}, map[string]Running{}, map[string]Case{}, 0, 0
	b.hosts = hosts{nodes: map[string]*Node{}, blocks: map[string]*Block{}}
}

// Observe updates the board with an event.
func (b *Board) Observe(e event.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts.observe(e)
	switch e.Kind {
	case event.StudyBegun: // also when another command continues the study
		b.reset()
	case event.StudyEnded:
		b.p.Ended, b.running, b.cases = true, map[string]Running{}, map[string]Case{}
	case event.Planned:
		b.p.Planned++
	case event.Started:
		if e.Source == event.Host {
			r := Running{Run: e.Run, Started: e.Time, Host: e.Host, Waited: seconds(e.Waited), cores: e.Cores}
			b.running[e.Run] = r
			b.hosts.started(r)
		}
	case event.Iteration:
		b.iteration(e)
	case event.Progress:
		b.cases[e.Name] = Case{e.Name, e.Values, seconds(e.Wall), e.Time}
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
		return // the host reports a solver's end too
	}
	if r, ok := b.running[e.Run]; ok && e.Source == event.Host {
		b.hosts.ended(r, seconds(e.Wall))
	}
	delete(b.running, e.Run)
	if !e.Cached {
		b.spent += seconds(e.Wall)
		b.runsEnded++
	}
	if e.Follows {
		return
	}
	b.p.Done++
	if e.Cached {
		b.p.Cached++
	}
	if !e.Answers() {
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
	p.Nodes, p.Blocks = b.hosts.list()
	if b.runsEnded > 0 {
		p.Mean = b.spent / time.Duration(b.runsEnded)
	}
	return p
}
