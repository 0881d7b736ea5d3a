package play

import (
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// machine is the state of all processes after the first records of a trace.
type machine struct {
	passed    int // records
	processes []process
	sent      []uint32 // places of sends that may be under way, from 0
}

// process is the state of a process.
type process struct {
	regions      []region // that it is in
	since        float64  // of the last change of regions
	records      int
	counts       uint32 // place of its latest Count record, from 1
	begun, ended bool
}

// region is a region that a process is in. Of a receive it has the message, as far as the program stated it.
type region struct {
	name, from uint32
	typ        int64
}

// clone is a copy that shares nothing. Messages that have been received are left out.
func (m *machine) clone(s *store) *machine {
	c := &machine{passed: m.passed, processes: slices.Clone(m.processes)}
	for i := range c.processes {
		c.processes[i].regions = slices.Clone(c.processes[i].regions)
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
	for i := range m.processes {
		n += len(m.processes[i].regions)
	}
	return n
}

// underWay reports whether the message that record i sent has not been received by the first records.
func (s *store) underWay(i, passed int) bool {
	partner := s.at(i).partner
	return partner == 0 || int(partner) > passed
}

func (m *machine) of(id uint32) *process {
	for int(id) >= len(m.processes) {
		m.processes = append(m.processes, process{})
	}
	return &m.processes[id]
}

// pass passes the next record.
func (m *machine) pass(s *store) {
	i := m.passed
	r := s.at(i)
	m.passed++
	p := m.of(s.tracks[r.track].processID)
	p.records++
	p.begun = true
	switch kind := trace.Kind(s.texts[r.kindID]); kind {
	case trace.Enter:
		p.enter(region{r.name, r.from, r.typ}, r.time)
	case trace.Send:
		p.enter(region{name: s.sending}, r.time)
		if r.count >= 0 && s.underWay(i, i) {
			m.sent = append(m.sent, uint32(i))
		}
	case trace.Leave:
		p.leave(r.name, r.time)
	case trace.Receive:
		p.leave(s.receiving, r.time)
	case trace.Count:
		p.counts = uint32(i + 1)
	case trace.Fork, trace.Join:
		if id, known := s.processID[r.to]; known {
			other := m.of(id)
			other.begun, other.ended = true, kind == trace.Join
		}
	}
}

func (p *process) enter(in region, at float64) {
	p.regions, p.since = append(p.regions, in), at
}

// leave ends the innermost region of a name, and those within it.
func (p *process) leave(name uint32, at float64) {
	for i := len(p.regions) - 1; i >= 0; i-- {
		if p.regions[i].name == name {
			p.regions, p.since = p.regions[:i], at
			return
		}
	}
}
