package rule

// Samples of a file are judged as the events that they would make, without making any.

import (
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// Sample takes what a parser read of a file of a run, and when, as Event takes the event that it is.
func (m *Monitor) Sample(name, file string, p *history.Parser, s *history.Sample, at time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.run(name)
	if s.Kind != event.Iteration || len(s.Arrays) > 0 {
		e := p.Event(s)
		e.Run, e.Time = name, at
		return m.event(r, e)
	}
	found := m.silence(r, at)
	r.last = later(r.last, at)
	n, numbered := s.Value(r.file(p).iteration)
	x, alone := r.merge.sample(file, n, numbered, at)
	x.parser, x.sample = p, s
	if alone {
		return append(found, m.step(r, &x)...)
	}
	x.sample = r.spares.take(s) // it waits for other sources
	x.by.waiting = append(x.by.waiting, x)
	return append(found, m.settle(r, (*merger).next)...)
}
