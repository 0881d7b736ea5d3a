package rule

// A run's events come from its solver and from the solver's files, each in its own order: a file is read some time
// after it was written, or before the solver's own report arrives. Findings must not depend on this timing, so the
// events are first sorted by iteration.

import (
	"cmp"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// patience is the longest time that an event waits for an earlier iteration of another source. It is ten times the
// interval at which files are read.
const patience = time.Second

// maxWaiting is how many events of a source wait at most.
const maxWaiting = 2000

// origin is the source that reports an iteration: the solver, or a file of it.
type origin struct {
	plugin bool
	file   string // empty for the solver
}

// compare orders the events of an iteration: the solver's come first, then the files' in the order of their names.
func (o origin) compare(p origin) int {
	switch {
	case o.plugin == p.plugin:
		return cmp.Compare(o.file, p.file)
	case o.plugin:
		return -1
	}
	return 1
}

// prevails reports whether a value of o replaces a value of p for the same iteration. The solver's value counts. Of a
// source's own values the later one counts.
func (o origin) prevails(p origin) bool { return o.plugin || !p.plugin && o.compare(p) >= 0 }

// place is a place in the history of a run.
type place struct {
	attempt int
	start   int // number of restarts of the source before it, in this attempt
	iter    float64
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.attempt, q.attempt), cmp.Compare(p.start, q.start), cmp.Compare(p.iter, q.iter))
}

// begun reports whether p is of a later attempt or start than q.
func (p place) begun(q place) bool {
	return p.attempt > q.attempt || p.attempt == q.attempt && p.start > q.start
}

// placed is an event with its place in the history. If sample is set, the event has only its kind and time; a parser
// could make the rest from the sample.
type placed struct {
	event.Event
	parser *history.Parser
	sample *history.Sample // nil: the event is complete
	by     *reporter
	place  place
	came   time.Time
}

// reporter is a source of events, with its position.
type reporter struct {
	origin   origin
	place    place // of the last event that came
	count    int   // of iterations, for a source that does not number them
	numbered bool
	heard    time.Time // when its last event came
	quiet    bool      // silent for so long that no event waits for it
	waiting  []placed
	room     [1]placed // storage for a single waiting event
}

// locate finds the place of the source's next event. If the iteration number falls, the solver has restarted.
func (s *reporter) locate(e *event.Event) place {
	p := s.place
	if e.Attempt > p.attempt {
		p, s.count = place{attempt: e.Attempt}, 0
	}
	if e.Kind != event.Iteration && e.Kind != event.Reached {
		return p
	}
	n, numbered := e.Values["iteration"]
	return s.iterate(p, n, numbered)
}

// iterate returns the place of the source's next iteration after p, by its number if it has a number.
func (s *reporter) iterate(p place, n float64, numbered bool) place {
	s.count++
	switch {
	case !numbered && s.numbered: // more about the same iteration
		return p
	case !numbered:
		n = float64(s.count)
	case n < p.iter:
		p.start++
	}
	s.numbered = s.numbered || numbered
	p.iter = n
	return p
}

// merger puts the events of a run's sources into order.
type merger struct {
	reporters []*reporter // in the order of their origins
	now       time.Time   // latest that is known
}

// tick sets the present time, unless a later time is known.
func (m *merger) tick(now time.Time) { m.now = later(m.now, now) }

// await announces that the solver and its files are both going to report.
func (m *merger) await(at time.Time) {
	m.tick(at)
	for _, o := range []origin{{plugin: true}, {}} {
		m.reporter(o)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// reporter returns the reporter of an origin. The first file takes the place of the awaited file.
func (m *merger) reporter(o origin) *reporter {
	for i, s := range m.reporters {
		if s.origin == o || s.origin == (origin{}) && !o.plugin {
			s.origin = o
			return s
		}
		if o.compare(s.origin) < 0 {
			m.reporters = slices.Insert(m.reporters, i, &reporter{origin: o, heard: m.now})
			return m.reporters[i]
		}
	}
	n := &reporter{origin: o, heard: m.now}
	m.reporters = append(m.reporters, n)
	return n
}

// reach moves a source to the place of its next event.
func (m *merger) reach(e *event.Event) *reporter {
	m.tick(e.Time)
	s := m.reporter(origin{plugin: e.Source == event.Plugin, file: e.File})
	s.place, s.heard, s.quiet = s.locate(e), m.now, false
	return s
}

// add takes an event of a source.
func (m *merger) add(e event.Event) {
	s := m.reach(&e)
	s.waiting = append(s.waiting, placed{Event: e, by: s, place: s.place, came: m.now})
}

// sample places an iteration of a file, by its number if it has a number. alone reports that it need not wait.
func (m *merger) sample(file string, n float64, numbered bool, at time.Time) (p placed, alone bool) {
	m.tick(at)
	s := m.reporter(origin{file: file})
	alone = len(m.reporters) == 1 && len(s.waiting) == 0
	s.place, s.heard, s.quiet = s.iterate(s.place, n, numbered), m.now, false
	return placed{Event: event.Event{Kind: event.Iteration, Time: at}, by: s, place: s.place, came: m.now}, alone
}

// waits reports whether an event waits for others.
func (m *merger) waits() bool {
	return slices.ContainsFunc(m.reporters, func(s *reporter) bool { return len(s.waiting) > 0 })
}

// next returns the earliest event, if no earlier event can come or the wait for it has ended. With all it does not
// wait.
func (m *merger) next(all bool) (placed, bool) {
	var first *reporter
	for _, s := range m.reporters {
		if len(s.waiting) > 0 && (first == nil || s.waiting[0].place.compare(first.waiting[0].place) < 0) {
			first = s // at equal places the origin that comes first
		}
	}
	if first == nil {
		return placed{}, false
	}
	e := first.waiting[0]
	if !all && m.held(first, e) {
		return placed{}, false
	}
	if first.waiting = first.waiting[1:]; len(first.waiting) == 0 {
		first.waiting = first.room[:0]
	}
	return e, true
}

// held reports whether another source may still report an earlier event.
func (m *merger) held(of *reporter, e placed) bool {
	late := m.now.Sub(e.came) >= patience || len(of.waiting) > maxWaiting
	for _, s := range m.reporters {
		if s == of || s.quiet || len(s.waiting) > 0 {
			continue
		}
		if at := s.place.compare(e.place); at > 0 || at == 0 && of.origin.compare(s.origin) < 0 {
			continue
		}
		if !late {
			return true
		}
		s.quiet = m.now.Sub(s.heard) >= patience
	}
	return false
}

// spares are copies of samples that wait no more.
type spares []*history.Sample

// take copies a sample.
func (l *spares) take(s *history.Sample) (spare *history.Sample) {
	if n := len(*l); n > 0 {
		spare, *l = (*l)[n-1], (*l)[:n-1]
	} else {
		spare = &history.Sample{}
	}
	spare.Take(s)
	return spare
}

// mostSpares is how many copies are kept: a file that is far ahead of another has many waiting samples.
const mostSpares = 8

// give gives a copy back.
func (l *spares) give(s *history.Sample) {
	if len(*l) < mostSpares {
		*l = append(*l, s)
	}
}
