package nodes

// The watchdogs of nodes: one on each, which reads the files of the runs there.

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// watches combines the watchdogs of all nodes into one.
type watches struct {
	ctx     context.Context // bounds their starts
	study   string          // folder
	command []string        // of a watchdog
	clock   clock.Clock
	events  chan event.Event
	passed  sync.WaitGroup // goroutines that pass events on

	mu     sync.Mutex
	where  map[string]seat // by the run's folder here
	dogs   map[*member]*dog
	runs   map[string]*dog // watchdog of each run
	closed bool
}

// seat is where a run works.
type seat struct {
	member *member
	there  string // its folder
}

// dog is the watchdog of a node.
type dog struct {
	start   sync.Once
	process *watchdog.Process // nil: it did not start, and err is the reason
	err     error
}

func newWatches(ctx context.Context, study string, command []string, at clock.Clock) *watches {
	return &watches{
		ctx: ctx, study: study, command: command, clock: at,
		events: make(chan event.Event, 256), where: map[string]seat{}, dogs: map[*member]*dog{},
		runs: map[string]*dog{},
	}
}

// enter notes where a run works.
func (w *watches) enter(here string, m *member, there string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.where[here] = seat{m, there}
}

// exit forgets the place of a run.
func (w *watches) exit(here string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.where, here)
}

// Watch implements launch.Watcher.
func (w *watches) Watch(spec history.FileSpec, from ...history.FilePosition) error {
	w.mu.Lock()
	at, known := w.where[filepath.Clean(spec.Folder)]
	if !known || w.closed {
		w.mu.Unlock()
		return errors.New("the folder in which the run works is unknown")
	}
	d := w.dogs[at.member]
	if d == nil {
		d = &dog{}
		w.dogs[at.member] = d
	}
	w.runs[spec.Run] = d
	w.mu.Unlock()
	d.start.Do(func() { w.begin(d, at.member) })
	if d.err != nil {
		return d.err
	}
	spec.Folder = at.there
	return d.process.Watch(spec, from...)
}

// begin starts the watchdog of a node.
func (w *watches) begin(d *dog, m *member) {
	contents, err := launch.Contents(w.command)
	if err != nil {
		d.err = err
		return
	}
	ctx, cancel := context.WithTimeout(w.ctx, watchdog.ConnectTime)
	defer cancel()
	d.process, d.err = watchdog.Start(ctx, watchdog.Config{
		Host: m.host, Command: w.command, Contents: contents, Study: filepath.Base(w.study), Clock: w.clock,
	})
	if d.err != nil {
		return
	}
	w.passed.Go(func() {
		for e := range d.process.Events() {
			e.Host = m.name
			w.events <- e
		}
	})
}

// Unwatch implements launch.Watcher.
func (w *watches) Unwatch(ctx context.Context, run string) error {
	w.mu.Lock()
	d := w.runs[run]
	delete(w.runs, run)
	w.mu.Unlock()
	if d == nil || d.process == nil {
		return nil
	}
	return d.process.Unwatch(ctx, run)
}

// Events implements launch.Watcher.
func (w *watches) Events() <-chan event.Event { return w.events }

// lose ends the watchdog of a lost node. The watchdog remains known until it has ended, so that close waits for it.
func (w *watches) lose(m *member) {
	w.mu.Lock()
	d := w.dogs[m]
	w.mu.Unlock()
	if d == nil {
		return
	}
	d.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.dogs, m)
}

func (d *dog) close() {
	d.start.Do(func() { d.err = errors.New("the node was lost") })
	if d.process != nil {
		d.process.Close()
	}
}

// close ends all watchdogs.
func (w *watches) close() {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.closed = true
	dogs := w.dogs
	w.dogs = map[*member]*dog{}
	w.mu.Unlock()
	var wg sync.WaitGroup
	for _, d := range dogs {
		wg.Go(d.close)
	}
	go func() { // ends with the watchdogs; the channel has no reader any more
		for range w.events {
		}
	}()
	wg.Wait()
	w.passed.Wait()
	close(w.events)
}
