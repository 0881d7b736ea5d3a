package graph

import (
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// performance has the engine's overall results, and the component values that they sum.
type performance struct {
	result.Performance

	Thrust, drag, Fuel, load []*float64
	Face, core, combustor    *flow.Station // nil if the engine has none
}

func (p *performance) compute() {
	p.Fg, p.Fram, p.Wf, p.Power = sum(p.Thrust), sum(p.drag), sum(p.Fuel), sum(p.load)
	p.Fn = p.Fg - p.Fram
	p.TSFC, p.PSFC = specific(p.Wf, p.Fn), specific(p.Wf, p.Power)
	p.OPR, p.BPR = 0, 0
	if p.Face != nil && p.combustor != nil {
		p.OPR = p.combustor.P / p.Face.P
	}
	if p.Face != nil && p.core != nil {
		p.BPR = p.Face.W/p.core.W - 1
	}
}

// specific is fuel for an effect: 0 for an engine without the effect, and NaN where the effect is
// negative, because fuel for drag has no meaning.
func specific(fuel, effect float64) float64 {
	switch {
	case effect > 0:
		return fuel / effect
	case effect < 0:
		return math.NaN()
	}
	return 0
}

func sum(values []*float64) float64 {
	s := 0.0
	for _, v := range values {
		s += *v
	}
	return s
}
