package machine

import (
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// burner is the kind of burners.
//
//	inputs       gas and state of the inlet at the engine's design point, W, FAR
//	similarity   corrected flow and fuel-air ratio at one inlet state. Pressure and temperature of the inlet follow the
//	             flow along an engine's working line; deviations from that line are neglected
//	coordinates  ln(Wc/Wc_design), FAR - FAR_design
//	outputs      dPqP, one less the exit's mass-averaged total pressure over the inlet's; eff, the share of the heating
//	             value that is released
//	given        the fuel of the engine, no cooling of the walls, complete combustion of the burnt part, no effect of the
//	             Reynolds number
//	ends         a flow, below choke
var burner = lawful{
	coordinates: []lawCoordinate{{"Wc", true, 0.5}, {"FAR", false, 0.01}},
	parameters: []lawParameter{
		{name: "dPqP", log: true, slope: []float64{2, 0}, level: 0.7, slopes: []float64{0.5, 20}, amplitude: 0.1,
			most: 0.99, settles: OutPRError},
		{name: "eff", slope: []float64{0, 0}, level: 0.05, slopes: []float64{0.05, 2}, amplitude: 0.01, most: 1,
			settles: OutEffError},
	},
	given: append(slices.Clone(stateGiven), exchanged{InFlow, plugin.Scalar}, exchanged{InFAR, plugin.Scalar}),
	read:  append(slices.Clone(exitRead), exchanged{OutEff, plugin.Scalar}),
	inputs: func(m *Machine, place [2]float64) map[string]float64 {
		return map[string]float64{InFlow: m.actual(place[0]), InFAR: place[1]}
	},
	measure: func(m *Machine, in map[string]float64, out *plugin.Result) (place, values [2]float64, err error) {
		at, loss, err := m.passage(out)
		return [2]float64{at[0], in[InFAR]}, [2]float64{loss[0], out.Numbers[OutEff]}, err
	},
}
