package state

import (
	"github.com/peregrine-sim/peregrine/watchdog/event"
	files "github.com/peregrine-sim/peregrine/watchdog/history"
)

// Sample takes a sample that a parser read from a finished file. The result is the same as that of Event, but without
// its time, and without maps, which cost more than reading.
func (m *Machine) Sample(file string, p *files.Parser, s *files.Sample) bool {
	if s.Kind != event.Iteration && s.Kind != event.Profile {
		return m.take(p.Event(s))
	}
	at, known := s.At()
	from := m.source(file)
	m.place(from, at, known)
	columns := m.list(from, p)
	if from.mesh > 0 { // before the residuals on it
		if x, refined := s.Value(from.mesh - 1); refined {
			m.value(columns[from.mesh-1], x)
		}
	}
	for _, n := range s.Numbers {
		m.value(columns[n.Name], n.Value)
	}
	changed := false
	for _, n := range s.NonFinite {
		changed = m.notFinite(columns[n]) || changed
	}
	return m.due() || changed
}
