package machine

import (
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// inlet is the kind of inlets.
//
//	inputs       gas and total state of the free stream at the engine's design point, MN, W
//	similarity   flight Mach number and corrected flow, which is the stream tube's area over the inlet's at one Mach
//	             number (Seddon and Goldsmith, Intake Aerodynamics, 2nd ed., section 1.3)
//	coordinates  MN - MN_design, ln(Wc/Wc_design)
//	outputs      recovery, the exit's mass-averaged total pressure over the free stream's
//	given        no incidence, no distortion in the engine, ram drag W V, no effect of the Reynolds number
//	ends         a flow, below choke
var inlet = lawful{
	coordinates: []lawCoordinate{{"MN", false, 0.3}, {"Wc", true, 0.5}},
	parameters: []lawParameter{{
		name: "eRam", slope: []float64{0, 0}, level: 0.05, slopes: []float64{0.05, 0.05}, amplitude: 0.01, most: 1,
		settles: OutPRError,
	}},
	given: append(slices.Clone(stateGiven), exchanged{InMach, plugin.Scalar}, exchanged{InFlow, plugin.Scalar}),
	read:  exitRead,
	inputs: func(m *Machine, place [2]float64) map[string]float64 {
		return map[string]float64{InMach: place[0], InFlow: m.actual(place[1])}
	},
	measure: func(m *Machine, in map[string]float64, out *plugin.Result) (place, values [2]float64, err error) {
		at, loss, err := m.passage(out)
		return [2]float64{in[InMach], at[0]}, [2]float64{1 - loss[0]}, err
	},
}
