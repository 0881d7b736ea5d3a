package zoom

// Joining the watchdog: it is told which files the solvers describe, and what
// it reads flows into the runs' own streams.

import (
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Watcher follows files of runs.
type Watcher interface {
	// Watch adds the files of one run.
	Watch(...history.FileSpec) error
	// Unwatch reads the run's files to their end, delivers the events, and forgets them.
	Unwatch(run string) error
	// Events is where all that was read arrives. It is closed when the watcher ends.
	Events() <-chan event.Event
}

// watched makes the watchdog's description of a run's files from the solver's.
func watched(r plugin.Request, d plugin.Description) []history.FileSpec {
	var specs []history.FileSpec
	for _, f := range d.Files {
		spec := history.FileSpec{
			Study: r.Study, Run: r.Run, Folder: r.Folder, Path: f.Pattern, Format: history.Format(f.Format),
			Key: f.Key, Names: f.Columns, Rename: f.Rename, Scale: f.Scale,
		}
		for _, l := range f.Patterns {
			spec.Patterns = append(spec.Patterns, history.Pattern{Regexp: l.Regexp, Begins: l.Begins, Kind: l.Kind})
		}
		switch spec.Format {
		case history.Columns, history.JSON, history.Regexp:
			specs = append(specs, spec)
		}
	}
	return specs
}

func (p *Pool) join(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[s.run] = s
}

func (p *Pool) leave(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, s.run)
}

// route passes the watcher's events on until the returned function is called.
func (p *Pool) route() (stop func()) {
	if p.Watcher == nil {
		return func() {}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-quit:
				return
			case e, ok := <-p.Watcher.Events():
				if !ok {
					return
				}
				p.pass(e)
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// pass hands an event of the watcher to its run; one without a run, such as
// the watchdog's own restart, goes to monitor and observer.
func (p *Pool) pass(e event.Event) {
	p.mu.Lock()
	s := p.open[e.Run]
	p.mu.Unlock()
	if s != nil {
		s.file(e)
		return
	}
	p.deliver(e)
}
