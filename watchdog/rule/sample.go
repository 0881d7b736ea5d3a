package rule

// Samples of a file are judged as the events that they would make, without making any: the values of a run are looked up once for each
// column of its file, not by their names in every iteration.

import (
	"math"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// Sample takes what a parser read of a file of a run, and when, as Event takes the event that it is. What must wait for other sources of the
// run becomes that event.
func (m *Monitor) Sample(name, file string, p *history.Parser, s *history.Sample, at time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.run(name)
	var by *reporter
	if s.Kind == event.Iteration && len(s.Arrays) == 0 {
		by = r.merge.only(origin{file: file})
	}
	if by == nil {
		e := p.Event(s)
		e.Run, e.Time = name, at
		return m.event(r, e)
	}
	found := m.silence(r, at)
	r.last = later(r.last, at)
	r.merge.tick(at)
	columns := r.columns[p]
	if columns == nil {
		columns = newColumns()
		r.columns[p] = columns
	}
	columns.extend(p.Names())
	n, numbered := s.Value(columns.iteration)
	by.place, by.heard, by.quiet = by.iterate(by.place, n, numbered), r.merge.now, false
	r.pace(at)
	r.sample(&placed{by: by, place: by.place}, columns, p, s)
	fired := m.judge(r, at, everything)
	for i := range fired {
		fired[i].Kind = s.Kind
	}
	return append(found, fired...)
}

// sample adds an iteration's values to their series, as iteration does.
func (r *run) sample(p *placed, c *columns, parser *history.Parser, s *history.Sample) {
	names := parser.Names()
	mesh, known := s.Value(c.mesh)
	r.reach(p, mesh, known)
	worst := 0.0
	for _, n := range s.Numbers {
		x := &c.list[n.Name]
		if x.value == nil {
			x.value = r.of(names[n.Name])
		}
		r.add(x.value, n.Value, p)
		if x.equation {
			worst = max(worst, math.Abs(n.Value))
		}
	}
	r.add(r.of("iteration"), p.place.iter, p)
	_, alone := s.Value(c.residual)
	alone = alone || slices.Contains(s.NonFinite, c.residual)
	odd := !alone && slices.ContainsFunc(s.NonFinite, func(name int) bool { return c.list[name].equation })
	if !alone && !odd && worst > 0 {
		r.add(r.of("residual"), worst, p)
	}
	var lost []string
	for _, name := range s.NonFinite {
		lost = append(lost, names[name])
	}
	r.lose(p, lost, odd)
	r.quotes.take(parser, s)
}
