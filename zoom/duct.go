package zoom

import (
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

// duct is the kind of ducts.
//
//	inputs       gas and state of the inlet at the engine's design point, W
//	similarity   corrected flow, as a loss goes with the Mach number
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

// stateGiven are the inputs of every request for a component without blades.
var stateGiven = []exchanged{{InGamma, plugin.Scalar}, {InR, plugin.Scalar}, {InTotalPressure, plugin.Scalar},
	{InTotalTemperature, plugin.Scalar}}

// exitRead are the outputs from which a loss of total pressure follows.
var exitRead = []exchanged{
	{OutW, plugin.Scalar}, {OutMass, plugin.Scalar}, {OutExitW, plugin.Profile}, {OutExitPt, plugin.Profile},
	{OutExitTt, plugin.Profile},
}

// lossPrior is what is thought of a loss of total pressure before there are runs: about that of the engine within a
// factor of two, and with the square of the flow (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section
// 5.13).
var lossPrior = lawParameter{name: "dPqP", log: true, slope: []float64{2}, level: 0.7, slopes: []float64{0.5},
	amplitude: 0.1, most: 0.99, settles: OutPRError}

// passage is where a run of a duct was, its corrected flow in kg/s, and its loss.
func (m *Machine) passage(out *plugin.Result) (place, values [2]float64, err error) {
	exit, err := m.exitOf(out)
	if err != nil {
		return place, values, err
	}
	pt, _, _, _ := m.inlet()
	return [2]float64{m.corrected(out.Numbers[OutW])}, [2]float64{1 - exit.Pt[average.Mass]/pt}, nil
}
