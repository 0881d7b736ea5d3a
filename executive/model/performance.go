package model

import (
	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
)

// performance is the engine as a whole.
//
//	Fn = sum Fg - sum Fram,  TSFC = Wf/Fn,  PSFC = Wf/power
//	OPR = Pt(burner inlet)/Pt(inlet exit)
//	BPR = (W - W_core)/W_core at the inlet exit and the last compressor before the burner
type performance struct {
	Fn, Fg, Fram, TSFC, Wf, OPR, BPR, Power, PSFC float64

	thrust, drag, fuel, load []*float64
	face, core, combustor    *flow.Station // nil if the engine has none
}

var performanceFields = []string{"Fn", "Fg", "Fram", "TSFC", "Wf", "OPR", "BPR", "power", "PSFC"}

func (p *performance) field(name string) *float64 {
	switch name {
	case "Fn":
		return &p.Fn
	case "Fg":
		return &p.Fg
	case "Fram":
		return &p.Fram
	case "TSFC":
		return &p.TSFC
	case "Wf":
		return &p.Wf
	case "OPR":
		return &p.OPR
	case "BPR":
		return &p.BPR
	case "power":
		return &p.Power
	case "PSFC":
		return &p.PSFC
	}
	return nil
}

// collect finds the components that make the engine's performance.
func (p *performance) collect(m *Model) {
	for _, q := range m.Parts {
		d := q.Declaration
		if d.Thrust != nil {
			p.thrust = append(p.thrust, d.Thrust)
		}
		if d.Drag != nil {
			p.drag = append(p.drag, d.Drag)
			if p.face == nil {
				p.face = d.Outlets[0].At
			}
		}
		if d.Load != nil {
			p.load = append(p.load, d.Load)
		}
		if d.Fuel != nil {
			p.fuel = append(p.fuel, d.Fuel)
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
		if _, ok := q.Component.(*components.Compressor); ok {
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

// owner returns the part whose outlet a station is.
func (m *Model) owner(s *flow.Station) *Part {
	for _, p := range m.Parts {
		for _, o := range p.Declaration.Outlets {
			if o.At == s {
				return p
			}
		}
	}
	return nil
}

func (p *performance) compute() {
	p.Fg, p.Fram, p.Wf, p.Power = sum(p.thrust), sum(p.drag), sum(p.fuel), sum(p.load)
	p.Fn = p.Fg - p.Fram
	p.TSFC, p.PSFC, p.OPR, p.BPR = 0, 0, 0, 0
	if p.Fn > 0 {
		p.TSFC = p.Wf / p.Fn
	}
	if p.Power > 0 {
		p.PSFC = p.Wf / p.Power
	}
	if p.face != nil && p.combustor != nil {
		p.OPR = p.combustor.P / p.face.P
	}
	if p.face != nil && p.core != nil {
		p.BPR = p.face.W/p.core.W - 1
	}
}

func sum(values []*float64) float64 {
	s := 0.0
	for _, v := range values {
		s += *v
	}
	return s
}
