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

	Cause *event.Ref // the event that led to it; may be nil

	byMonitor bool
}

// stream is the event stream of one attempt.
type stream struct {
	study, run string
	component  string
	attempt    int
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

// newStream opens the stream of an attempt that has a run folder.
func newStream(p *Pool, j Job, attempt int, run, folder string) (*stream, error) {
	log, err := event.Append(filepath.Join(folder, plugin.EventsFile))
	if err != nil {
		return nil, err
	}
	return &stream{study: p.Study, run: run, component: j.Component, attempt: attempt, clock: p.clock, deliver: p.deliver, log: log, last: p.clock.Now(), halt: make(chan *Halt, 1)}, nil
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
	s.own(event.Event{Kind: kind, Text: text, Values: values})
}

// own numbers and stamps an event of the host. The caller holds the lock.
func (s *stream) own(e event.Event) {
	s.seq++
	e.Seq, e.Time, e.Source = s.seq, s.clock.Now().UTC(), event.Host
	s.put(e)
}

// begin records the start of the attempt, which may follow from the end of one before.
func (s *stream) begin(folder string, cause *event.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own(event.Event{Kind: event.Started, Folder: folder, Cause: cause})
}

// command records what the solver is asked to do, and why.
func (s *stream) command(verb plugin.Verb, why *Halt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own(event.Event{Kind: event.Command, Name: string(verb), Text: why.Message, Cause: why.Cause})
}

// end records how the attempt ended, and whether another follows. It returns which event that was.
func (s *stream) end(o *Outcome, follows bool) *event.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own(event.Event{Kind: event.Ended, Class: o.Class, Wall: o.Wall.Seconds(), Follows: follows, Folder: o.Folder, Cause: o.cause})
	return &event.Ref{Stream: event.Stream{Run: s.run, Source: event.Host}, Seq: s.seq}
}

// put persists and delivers. The caller holds the lock, so that everyone sees
// the events of a run in the order of the file.
func (s *stream) put(e event.Event) {
	if s.ended {
		return // a straggler from the watchdog
	}
	e.Study, e.Run, e.Attempt, e.Component, e.Host = s.study, s.run, s.attempt, s.component, localSlot
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
