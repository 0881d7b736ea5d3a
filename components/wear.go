package components

import "github.com/peregrine-sim/peregrine/config/unit"

// wear is the loss of a map's values by damage, dirt and age off design, as factors on its scalars, as in engine
// monitoring (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 11.8): of a map with scalars s_Wc, s_PR and
// s_eff
//
//	s_Wc (1 - wear_Wc), s_PR (1 - wear_PR) on PR - 1, s_eff (1 - wear_eff)
//
// The stall line is worn as the speed lines are. In a transient they model sudden damage, such as a bird in the fan.
type wear struct{ flow, pr, eff float64 }

// declare adds the parameters; a turbine's pressure ratio is not its map's.
func (w *wear) declare(d *Declaration, pr bool) {
	d.Number("wear_Wc", &w.flow, unit.None, "share of the map's flow that damage takes away off design").Default(
		0).Within(-0.5, 0.9)
	if pr {
		d.Number("wear_PR", &w.pr, unit.None, "share of the map's PR - 1 that damage takes away off design").Default(
			0).Within(-0.5, 0.9)
	}
	d.Number("wear_eff", &w.eff, unit.None, "share of the map's efficiency that damage takes away off design").Default(
		0).Within(-0.5, 0.9)
}
