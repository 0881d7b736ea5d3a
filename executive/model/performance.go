package model

import (
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
