package watch

// What has come in the files of a run that is followed goes into its machine: the samples of a single file one by one, as they are
// read; those of several in the order of the iterations, and what somebody observes as events.

import (
	"cmp"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// due reports whether the file is to be read: it has changed, or its time comes before half of the next tick has passed. A tick is
// not exactly one interval after the one before.
func (s *source) due(now time.Time) bool {
	return s.woken.Swap(false) || s.pace.Wait(now, s.wake.Works()) < pollTime/2
}

// read takes what has come in the files of a run whose time it is. It returns how much, whether the run's state has changed, and what
// rules found.
func (f *follower) read(r *run, now time.Time) (n int, changed bool, found []rule.Finding) {
	if f.options.Observe == nil && len(r.sources) == 1 {
		return f.readSamples(r, r.sources[0], now)
	}
	for _, e := range r.fresh(now, f.clock.Now) {
		if f.options.Observe != nil {
			f.options.Observe(r.folder, e)
		}
		changed = r.machine.Event(e) || changed
		found = append(found, f.ruling.event(r.folder, e)...)
		n++
	}
	return n, changed, found
}

// readSamples takes what has come in a file as samples, without making events of them.
func (f *follower) readSamples(r *run, s *source, now time.Time) (n int, changed bool, found []rule.Finding) {
	if !s.due(now) {
		return 0, false, nil
	}
	take := func(x *history.Sample) {
		n++
		changed = r.machine.Beat(now) || changed
		changed = r.machine.Sample(s.path, s.parser, x) || changed
		found = append(found, f.ruling.sample(r.folder, s, x, now)...)
	}
	if s.parse(f.clock.Now); f.ruling != nil && s.parser != nil {
		s.parser.Quote()
	}
	s.poll(f.clock.Now, func(l tail.Line) { s.parser.Read(l, take) })
	s.pace.Polled(now, n > 0)
	return n, changed, found
}

// fresh returns the events that have come in the files of the run whose time it is, in the order of the iterations.
func (r *run) fresh(now time.Time, clock func() time.Time) []event.Event {
	type placed struct {
		event.Event
		at float64
	}
	var list []placed
	for _, s := range r.sources {
		if !s.due(now) {
			continue
		}
		before := len(list)
		s.poll(clock, func(l tail.Line) {
			for _, e := range s.parser.Parse(l) {
				s.place(&e)
				list = append(list, placed{e, s.at})
			}
		})
		s.pace.Polled(now, len(list) > before)
	}
	if len(r.sources) > 1 {
		slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	}
	events := make([]event.Event, len(list))
	for i := range list {
		events[i] = list[i].Event
	}
	return events
}
