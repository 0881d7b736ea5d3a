package attempt

// The connection to the watchdog. A host has it watch the files that the solvers describe, and passes its events to the
// streams of their runs.

import (
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Watcher follows files of runs.
type Watcher = launch.Watcher

// flushLimit bounds the wait for the watcher: a file system that does not respond must not
// block a study.
const flushLimit = 10 * time.Second

// Follow makes w watch the files of all runs that start from now on. Its events go into the
// streams of their runs; stray gets the events of no run, such as a restart of the watcher,
// and may be nil. Call Follow at most once, and close w after the Host.
func (h *Host) Follow(w Watcher, stray func(event.Event)) {
	if stray == nil {
		stray = func(event.Event) {}
	}
	r := &router{host: h, events: w.Events(), stray: stray,
		drain: make(chan chan struct{}), quit: make(chan struct{}), ended: make(chan struct{})}
	h.watcher, h.router = w, r
	go r.run() // stopFollowing waits for it
}

// Watches returns the watcher of a launcher that watches the files of its tasks itself; nil: the launcher does not.
func (h *Host) Watches() Watcher {
	if l, ok := h.Launcher.(launch.Watched); ok {
		return l.Watches()
	}
	return nil
}

// router passes the watcher's events to the streams of their runs.
type router struct {
	host        *Host
	events      <-chan event.Event
	stray       func(event.Event)
	drain       chan chan struct{}
	quit, ended chan struct{}
}

func (r *router) run() {
	defer close(r.ended)
	for {
		select {
		case <-r.quit:
			return
		case e, ok := <-r.events:
			if !ok {
				return
			}
			r.pass(e)
		case done := <-r.drain:
			for empty := false; !empty; {
				select {
				case e, ok := <-r.events:
					if !ok {
						close(done)
						return
					}
					r.pass(e)
				default:
					empty = true
				}
			}
			close(done)
		}
	}
}

func (r *router) pass(e event.Event) {
	if s := r.host.stream(e.Run); s != nil {
		s.fromFile(e)
		return
	}
	r.stray(e)
}

// flush returns when every event that was in the watcher's channel before the call has been
// passed on.
func (r *router) flush() {
	done := make(chan struct{})
	select {
	case r.drain <- done:
		<-done
	case <-r.ended:
	}
}

func (h *Host) stopFollowing() {
	if h.watcher != nil {
		close(h.router.quit)
		<-h.router.ended
	}
}

// Halt requests the end of a run, like a Monitor in answer to an event. It is for judges that find a run silent for too
// long, so that no event calls them. It reports whether the run belongs to this host.
func (h *Host) Halt(run string, why Halt) bool {
	s := h.stream(run)
	if s != nil {
		why.silent = true
		s.stop(&why)
	}
	return s != nil
}

// Order commands a run in progress, without an event that the order answers. It reports whether the run belongs to this
// host.
func (h *Host) Order(run string, o Instruction) bool {
	s := h.stream(run)
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order(o)
	return true
}

// Beat looks at the clock for all runs in progress. A judge of their silence calls it before it judges.
func (h *Host) Beat() {
	h.mu.Lock()
	streams := slices.Collect(maps.Values(h.streams))
	h.mu.Unlock()
	for _, s := range streams {
		s.beat()
	}
}

func (h *Host) stream(run string) *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streams[run]
}

// makes reports whether this host is making a run.
func (h *Host) makes(run string) bool { return h.stream(run) != nil }

// Silence returns the name of a job's n-th attempt, and its present silence. It reports false if the attempt is not
// under way, if it has answered or is being stopped, or if a command from outside may have changed its answer.
func (h *Host) Silence(job string, n int) (run string, now Silences, known bool) {
	h.mu.Lock()
	var s *stream
	for _, one := range h.streams {
		if one.attempt == n && record.JobOf(one.run) == job {
			s = one
		}
	}
	h.mu.Unlock()
	if s == nil || len(s.steered()) > 0 || s.commandedBeyond() {
		return "", Silences{}, false
	}
	now, known = s.present()
	return s.run, now, known
}

func (h *Host) join(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams[s.run] = s
}

func (h *Host) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s.run)
}
