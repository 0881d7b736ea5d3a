package run

// All that is told about one run, by its plugin, its files and the host, made
// into one stream: persisted, then shown to the monitor and the observer.

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Monitor judges runs as they go. It is called for every event of every run
// of a pool, one call at a time.
type Monitor interface {
	// Observe takes an event and returns nil, or a reason to stop its run.
	Observe(event.Event) *Halt
}

// Halt asks for a run's end.
type Halt struct {
	Class   event.Class // of the run, whatever the solver then says; Converged if its result so far is an answer
	Message string      // which rule, and why

	byMonitor bool
}

// stream is the event stream of one attempt.
type stream struct {
	study, run string
	clock      clock.Clock
	deliver    func(event.Event) *Halt // of the pool

	mu    sync.Mutex
	log   *event.Log
	err   error // first failure to persist
	seq   int64 // of the host's events
	last  time.Time
	halt  chan *Halt // of capacity 1
	seen  gaps
	ended bool
}

func newStream(study, run, folder string, c clock.Clock, deliver func(event.Event) *Halt) (*stream, error) {
	log, err := event.Append(filepath.Join(folder, plugin.EventsFile))
	if err != nil {
		return nil, err
	}
	return &stream{study: study, run: run, clock: c, deliver: deliver, log: log, last: c.Now(), halt: make(chan *Halt, 1)}, nil
}

// plugin takes an event from the solver itself.
func (s *stream) plugin(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.tell(e)
	s.put(e)
}

// file takes an event that the watchdog read from the run's files. What the
// plugin has told already is left out.
func (s *stream) file(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = s.clock.Now()
	if e, fresh := s.seen.fill(e); fresh {
		s.put(e)
	}
}

// host adds an event of our own.
func (s *stream) host(kind event.Kind, text string, values map[string]float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	s.put(event.Event{
		Study: s.study, Run: s.run, Seq: s.seq, Time: s.clock.Now().UTC(),
		Source: event.Host, Kind: kind, Text: text, Values: values,
	})
}

// put persists and delivers. The caller holds the lock, so that everyone sees
// the events of a run in the order of the file.
func (s *stream) put(e event.Event) {
	if s.ended {
		return // a straggler from the watchdog
	}
	if e.Source != event.Host {
		s.last = s.clock.Now()
	}
	if err := s.log.Write(e); err != nil && s.err == nil {
		s.err = err
	}
	if h := s.deliver(e); h != nil {
		s.stop(h)
	}
}

// stop asks for the run's end.
func (s *stream) stop(h *Halt) {
	select {
	case s.halt <- h:
	default: // it is being stopped already
	}
}

// halted returns a halt that nobody has obeyed yet, or nil.
func (s *stream) halted() *Halt {
	select {
	case h := <-s.halt:
		return h
	default:
		return nil
	}
}

// silence is the time since solver or files last told something.
func (s *stream) silence() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clock.Since(s.clock, s.last)
}

// close ends the stream; later events are dropped. It returns the first
// failure to persist an event.
func (s *stream) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if err := s.log.Close(); err != nil && s.err == nil {
		s.err = err
	}
	return s.err
}
