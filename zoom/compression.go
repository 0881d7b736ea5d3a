package zoom

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/cfd/blade"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// compression is the kind of fans and compressors.
//
//	inputs       geometry, N, gas of the component's inlet at the engine's design point, inlet profiles at the standard
//	             day's state, throttle
//	similarity   corrected speed and corrected flow
//	coordinates  nu = Nc/Nc_design, kappa = ln(Wc^2/PR)
//	outputs      Wc; PR and efficiency of the mass-averaged exit flow, of each outlet stream by itself
//	given        gamma, no bleed within, no effect of the Reynolds number, the engine's split between the streams
//	ends         a throttle, Ps = K W^2, has a flow on every line; a flow has one only below choke, and an exit pressure
//	             only below the line's peak
type compression struct{}

func (compression) exchange() (given, read []exchanged) { return rowsGiven, rowsRead }

// stands implements kind: without a rotor nothing is compressed.
func (compression) stands(g *blade.Geometry) error { return turning(g, "compressor") }

func (compression) gridded() bool { return true }

func (compression) point(m *Machine, t Target) Point {
	return Point{t.Nc / m.Nc, math.Log(t.Wc * t.Wc / t.PR)}
}

func (c compression) design(m *Machine) Point { return c.point(m, Target{m.Nc, m.Wc, m.PR}) }

func (compression) at(m *Machine, nc, x float64) Point { return Point{nc / m.Nc, x} }

func (compression) third(p Point) float64 { return p.Kappa }

func (compression) request(m *Machine, inputs map[string]float64) (plugin.Request, error) {
	return m.request(inputs[InSpeed], inputs[InThrottle])
}

// contradiction reports what a run says of itself that cannot be: an efficiency above 1, or pressure and temperature
// ratios that its exit flow does not have. Pr and tr are exit over inlet, eff the efficiency, all of averages.
func contradiction(numbers map[string]float64, pr, tr, eff, stated float64) error {
	// An average of the solver's differs from that of its profile by what it states of its balances and by the mesh.
	slack := 0.01 + stated
	if eff > 1+slack {
		return fmt.Errorf("its exit flow has an efficiency of %.4g, above 1: pressure ratio %.5g, temperature ratio %.5g", eff, pr, tr)
	}
	for _, v := range []struct {
		name  string
		found float64
	}{{OutPR, pr}, {OutTR, tr}} {
		if own, ok := numbers[v.name]; ok && !(math.Abs(own/v.found-1) <= slack) {
			return fmt.Errorf("its %s is %.5g, and that of its exit flow %.5g", v.name, own, v.found)
		}
	}
	return nil
}
