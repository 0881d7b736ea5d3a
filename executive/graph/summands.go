package graph

// The components that contribute to an engine's performance are found once, when the model
// is built.

import (
	"github.com/peregrine-sim/peregrine/components/flow"
)

// collect finds the components whose thrust, drag, power and fuel flow are summed, and the
// stations that give pressure and bypass ratios.
func (p *performance) collect(m *Model) {
	for _, q := range m.Parts {
		d := q.Declaration
		if d.Thrust != nil {
			p.Thrust = append(p.Thrust, d.Thrust)
		}
		if d.Drag != nil {
			p.drag = append(p.drag, d.Drag)
			if p.Face == nil {
				p.Face = d.Outlets[0].At
			}
		}
		if d.Load != nil {
			p.load = append(p.load, d.Load)
		}
		if d.Fuel != nil {
			p.Fuel = append(p.Fuel, d.Fuel)
			if p.combustor == nil {
				p.combustor = *d.Inlets[0].At
				p.core = m.compressorAhead(q)
			}
		}
	}
}

// compressorAhead walks upstream from a burner to the inlet of the last
// compressor before it.
func (m *Model) compressorAhead(q *Part) *flow.Station {
	for range m.Parts {
		if len(q.Declaration.Inlets) == 0 {
			return nil
		}
		in := *q.Declaration.Inlets[0].At
		if q.Declaration.Compresses {
			return in
		}
		up := m.owner(in)
		if up == nil {
			return nil
		}
		q = up
	}
	return nil
}
