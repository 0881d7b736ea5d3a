package play

import (
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// machine is the state of all processes after the first records of a trace.
type machine struct {
	passed    int // records
	processes map[string]*process
	lost      int64    // records, as the trace states
	sent      []uint32 // places of sends that may be under way, from 0
}

// process is the state of a process.
type process struct {
	regions      trace.Regions
	since        float64 // of the last change of regions
	records      int
	counts       int // place of its latest Count record, from 1
	begun, ended bool
}

func newMachine() *machine { return &machine{processes: map[string]*process{}} }

// clone is a copy that shares nothing. Messages that have been received are left out.
func (m *machine) clone(s *store) *machine {
	c := newMachine()
	c.passed, c.lost = m.passed, m.lost
	for name, p := range m.processes {
		same := *p
		same.regions = slices.Clone(p.regions)
		c.processes[name] = &same
	}
	for _, i := range m.sent {
		if s.underWay(int(i), m.passed) {
			c.sent = append(c.sent, i)
		}
	}
	return c
}

// size is about the number of things that a copy copies.
func (m *machine) size() int {
	n := len(m.processes) + len(m.sent)
	for _, p := range m.processes {
		n += len(p.regions)
	}
	return n
}

func (m *machine) of(name string) *process {
	p := m.processes[name]
	if p == nil {
		p = &process{}
		m.processes[name] = p
	}
	return p
}

// pass passes the next record.
func (m *machine) pass(s *store) {
	i := m.passed
	r := s.at(i)
	m.passed++
	p := m.of(r.Process)
	p.records++
	p.begun = true
	if _, changed := p.regions.Pass(&r); changed {
		p.since = r.Time
	}
	switch {
	case r.Kind == trace.Send && r.Count >= 0 && s.underWay(i, i):
		m.sent = append(m.sent, uint32(i))
	case r.Kind == trace.Count:
		p.counts = i + 1
	case r.Kind == trace.Lost:
		m.lost += r.Count
	case r.Kind == trace.Fork:
		child := m.of(r.To)
		child.begun, child.ended = true, false
	case r.Kind == trace.Join && m.processes[r.To] != nil:
		m.processes[r.To].ended = true
	}
}
