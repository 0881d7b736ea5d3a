package rule

// Histories of the runs of a study: functions of a value's history as fields of a run, and values at earlier
// iterations.

import (
	"math"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// atName is the function at(a.x, n), the value x of a run at its iteration n.
const atName = "at"

// measure is a function of the history of a value that runs report. Its field has its text as a name.
type measure struct {
	text  string
	value string
	of    func(s *series, over span) float64
	over  span
}

// heard is a value whose history rules on a study need.
type heard struct {
	name string
	keep keep // for measures; empty: none
	past bool // for at
}

// memories are the histories of a run.
type memories struct {
	reporters map[origin]*reporter
	series    map[string]*series // of measures
	pasts     map[string]*past   // of at
	wall      wall
	oldest    time.Time // of the first iteration
	mesh      float64
}

// locate finds the place of an iteration.
func (m *memories) locate(e *event.Event) (at place, by origin) {
	by = origin{plugin: e.Source == event.Plugin, file: e.File}
	from := m.reporters[by]
	if from == nil {
		if m.reporters == nil {
			m.reporters = map[origin]*reporter{}
		}
		from = &reporter{origin: by}
		m.reporters[by] = from
	}
	from.place = from.locate(e)
	return from.place, by
}

// remember adds an iteration with its largest residual to the histories that rules need.
func (m *memories) remember(e *event.Event, list []*heard, at place, by origin, worst float64) {
	if m.series == nil {
		m.series, m.pasts, m.oldest = map[string]*series{}, map[string]*past{}, e.Time
	}
	clock, timed := e.Values["clock"]
	m.wall.reach(e.Time.Sub(m.oldest).Seconds(), clock, timed)
	mesh, known := e.Values["mesh"]
	for _, h := range list {
		s, p := m.series[h.name], m.pasts[h.name]
		if s == nil {
			s, p = newSeries(h.keep), &past{}
			m.series[h.name], m.pasts[h.name] = s, p
		}
		if known && mesh != m.mesh {
			s.stage(at)
		}
		x, has := e.Values[h.name]
		if h.name == "residual" && !has {
			x, has = worst, worst > 0
		}
		switch {
		case has && h.past:
			p.add(at, x)
			fallthrough
		case has:
			s.add(at, m.wall.now, x, by)
		case slices.Contains(e.NonFinite, h.name):
			s.lose(at, m.wall.now, by)
		}
	}
	if known {
		m.mesh = mesh
	}
}

// historian has the earlier values of the facts of its memory.
type historian interface {
	past(run fact.Fact, name string) *past
}

// past is a value by its iteration, in bounded memory: of mostPast samples every second one is dropped, and from then
// on every second one is kept, and so on.
type past struct {
	start       place
	iter, value []float64
	every       int  // samples that are dropped after each that is kept
	since       int  // samples since the last that is kept
	passing     bool // the last sample is kept until the next comes
}

const mostPast = 512

// add takes the value of an iteration.
func (p *past) add(at place, x float64) {
	if at.begun(p.start) {
		*p = past{start: at}
	}
	n := len(p.iter)
	switch {
	case p.start.begun(at), n > 0 && at.iter < p.iter[n-1]:
		return
	case n > 0 && at.iter == p.iter[n-1]:
		p.value[n-1] = x
		return
	case p.passing:
		n--
	case n == mostPast:
		n /= 2
		p.every = 2*p.every + 1
		for i := range n {
			p.iter[i], p.value[i] = p.iter[2*i], p.value[2*i]
		}
	}
	p.iter, p.value = append(p.iter[:n], at.iter), append(p.value[:n], x)
	p.since++
	if p.passing = p.since <= p.every; !p.passing {
		p.since = 0
	}
}

// at returns the value at an iteration, on the straight line between two samples; not a number before the first and
// after the last.
func (p *past) at(iteration float64) float64 {
	i, exact := slices.BinarySearch(p.iter, iteration)
	switch {
	case exact:
		return p.value[i]
	case i == 0 || i == len(p.iter) || math.IsNaN(iteration):
		return math.NaN()
	}
	part := (iteration - p.iter[i-1]) / (p.iter[i] - p.iter[i-1])
	return p.value[i-1] + part*(p.value[i]-p.value[i-1])
}
