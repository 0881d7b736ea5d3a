package model

import (
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// performance has the engine's overall results, and the component values that they sum.
type performance struct {
	result.Performance

	thrust, drag, fuel, load []*float64
	face, core, combustor    *flow.Station // nil if the engine has none
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
