package machine

import (
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// duct is the kind of ducts.
//
//	inputs       gas and state of the inlet at the engine's design point, W
//	similarity   corrected flow, as a loss depends on the Mach number
//	coordinates  ln(Wc/Wc_design)
//	outputs      dPqP, one less the exit's mass-averaged total pressure over the inlet's
//	given        no heat, no bleed within, no effect of the Reynolds number
//	ends         a flow, below choke
var duct = lawful{
	coordinates: []lawCoordinate{{"Wc", true, 0.5}},
	parameters:  []lawParameter{lossPrior},
	given:       append(slices.Clone(stateGiven), exchanged{InFlow, plugin.Scalar}),
	read:        exitRead,
	inputs: func(m *Machine, place [2]float64) map[string]float64 {
		return map[string]float64{InFlow: m.actual(place[0])}
	},
	measure: func(m *Machine, _ map[string]float64, out *plugin.Result) (place, values [2]float64, err error) {
		return m.passage(out)
	},
}
