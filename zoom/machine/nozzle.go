package machine

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// nozzle is the kind of nozzles.
//
//	inputs       gas and state of the inlet at the engine's design point, Ps of the surroundings
//	similarity   NPR = Pt/Ps
//	coordinates  ln(NPR/NPR_design)
//	outputs      Cd and Cfg, from flow, gross thrust and throat area of the run:
//
//	                 Cd  = W/(A G(NPR)),  Cfg = Fg/(W v(NPR))
//
//	             with the flow a unit of area G and the thrust a unit of flow v of the ideal nozzle of the engine's
//	             Cfg_reference, whose flow is one-dimensional and without loss (AGARD-AG-208, chapter 2)
//	given        one stream, no base drag, no external flow, the engine's Cv, no effect of the Reynolds number
//	ends         a pressure of the surroundings, below the inlet's; a choked nozzle has one flow
var nozzle = lawful{
	coordinates: []lawCoordinate{{"NPR", true, 0.3}},
	parameters: []lawParameter{
		{name: "Cd", slope: []float64{0}, level: 0.05, slopes: []float64{0.05}, amplitude: 0.01, most: 1,
			settles: OutWError},
		{name: "Cfg", slope: []float64{0}, level: 0.03, slopes: []float64{0.05}, amplitude: 0.01, most: 1,
			settles: OutWError},
	},
	given: append(slices.Clone(stateGiven), exchanged{InAmbient, plugin.Scalar}),
	read: []exchanged{{OutW, plugin.Scalar}, {OutThrust, plugin.Scalar}, {OutThroat, plugin.Scalar},
		{OutMass, plugin.Scalar}},
	inputs: func(m *Machine, place [2]float64) map[string]float64 {
		pt, _, _, _ := m.inlet()
		return map[string]float64{InAmbient: numeric.Round(pt/place[0], 9)}
	},
	measure: func(m *Machine, in map[string]float64, out *plugin.Result) (place, values [2]float64, err error) {
		pt, _, _, _ := m.inlet()
		npr := pt / in[InAmbient]
		w, a := out.Numbers[OutW], out.Numbers[OutThroat]
		if !(w > 0) || !(a > 0) {
			return place, values, fmt.Errorf("flow %g kg/s through a throat of %g m2", w, a)
		}
		flux, thrust := m.idealNozzle(npr)
		return [2]float64{npr}, [2]float64{w / (a * flux), out.Numbers[OutThrust] / (w * thrust)}, nil
	},
}

// idealNozzle returns the flow through an area, kg/(s m2), and the gross thrust of a flow, m/s, of a one-dimensional
// expansion without loss: to the surroundings, or in a convergent nozzle no further than to sonic flow.
func (m *Machine) idealNozzle(npr float64) (flux, thrust float64) {
	pt, tt, _, _ := m.inlet()
	g := m.Gamma
	power := (g - 1) / g
	critical := math.Pow((g+1)/2, 1/power)
	speed := func(ratio float64) float64 { // of the expansion by a pressure ratio
		return math.Sqrt(2 * m.R * tt / power * (1 - math.Pow(ratio, -power)))
	}
	density := func(ratio float64) float64 { return pt / (m.R * tt) * math.Pow(ratio, -1/g) }
	throat := min(npr, critical)
	flux = density(throat) * speed(throat)
	if m.Ideal {
		return flux, speed(npr)
	}
	return flux, speed(throat) + pt*(1/throat-1/npr)/flux
}
