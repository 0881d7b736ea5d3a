package state

// Data by the names of values, and by the files that report them: looked up once for each column of a file, as a run
// has thousands of lines of the same columns.

import (
	"math"
	"slices"
	"strings"

	files "github.com/peregrine-sim/peregrine/watchdog/history"
)

// quantity is the data of a name.
type quantity struct {
	name   string
	last   float64
	most   float64 // of all, without sign
	count  int     // of all
	works  int     // of all that are not 0
	has    bool
	series *series // nil: it is judged by none
	sorted bool    // whether it is judged was decided
}

// named returns the quantity of a name.
func (m *Machine) named(name string) *quantity {
	q := m.names[name]
	if q == nil {
		q = &quantity{name: name}
		m.names[name] = q
	}
	return q
}

// of returns the series of a quantity, nil if it is of none.
func (m *Machine) of(q *quantity) *series {
	if q.sorted {
		return q.series
	}
	q.sorted = true
	s := &series{name: q.name}
	word, _, _ := strings.Cut(q.name, "_")
	switch word {
	case "residual":
		s.kind = ofResidual
	case "continuity":
		s.kind = ofBalance
	case "dt":
		s.kind, m.timed = ofStep, true
	case "courant":
		m.marching, m.timed = true, true
		if s.kind = ofCourant; q.name != "courant" && q.name != "courant_max" {
			s = nil
		}
	case "steps": // inner ones, of a time step
		m.marching, m.timed = true, true
		s = nil
	case "timescale":
		m.marching, m.local = true, true
		s = nil
	case "time":
		if s = nil; q.name == "time_flow" {
			m.marching, m.timed = true, true
		}
	case "iteration", "clock", "cpu", "final", "inner", "target", "mesh":
		s = nil
	}
	if q.series = s; s != nil {
		at, _ := slices.BinarySearchFunc(m.order, q.name,
			func(s *series, name string) int { return strings.Compare(s.name, name) })
		m.order = slices.Insert(m.order, at, s)
	}
	return s
}

// source is a file that reports values.
type source struct {
	file     string
	at       float64 // where it is
	known    bool
	falls    int  // how often its iteration has fallen
	fraction bool // its position is no whole number: it is a time

	parser  *files.Parser // that read it last; nil: none
	columns []*quantity   // by the parser's names
	mesh    int           // the column of the mesh's number, from 1; 0: none
}

// source returns the source of a file.
func (m *Machine) source(file string) *source {
	if m.latest != nil && m.latest.file == file {
		return m.latest
	}
	from := m.sources[file]
	if from == nil {
		from = &source{file: file}
		m.sources[file] = from
	}
	m.latest = from
	return from
}

// list returns the quantities of a parser's names.
func (m *Machine) list(from *source, p *files.Parser) []*quantity {
	if from.parser != p {
		from.parser, from.columns, from.mesh = p, from.columns[:0], 0
	}
	names := p.Names()
	for i := len(from.columns); i < len(names); i++ {
		from.columns = append(from.columns, m.named(names[i]))
		if names[i] == "mesh" {
			from.mesh = i + 1
		}
	}
	return from.columns
}

// leastSteps is after how many reports in a row the time beside an iteration is the flow's; the first mostSteps tell.
const leastSteps, mostSteps = 10, 40

// compareStep compares the growth of the time that is reported beside an iteration with the time step. If they agree,
// the time is the flow's, and the run marches in time: a processor's time and that of local steps differ.
func (m *Machine) compareStep() {
	if m.marching || m.count > mostSteps {
		return
	}
	time, dt := m.names["time"], m.names["dt"]
	if time == nil || dt == nil || !time.has || !dt.has {
		return
	}
	c := &m.clocked
	if grown := dt.last * (m.iteration - c.at); m.iteration > c.at {
		if c.steps++; !(math.Abs(time.last-c.time-grown) <= 0.02*grown) {
			c.steps = 0
		}
	}
	c.at, c.time = m.iteration, time.last
	if c.steps == leastSteps {
		m.marching, m.timed = true, true
	}
}
