package zoom

// The methods: the prior of a machine before its runs, and its change by runs.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Method is how runs become the behaviour of a machine.
type Method string

// The methods. Each needs a run where the engine works; they differ in their assumptions around it.
const (
	// MethodMap makes the behaviour from the runs alone.
	MethodMap Method = "map"
	// MethodScalars keeps the engine's map of the machine. Runs correct it by a factor on the flow and an addition to
	// the efficiency, which vary with speed and throttle: far from the runs it has the map's shape.
	MethodScalars Method = "scalars"
	// MethodDirect is a linear model: the engine and the solver are matched by a quasi-Newton method. Its first slopes
	// are taken from the engine's map where the engine works. Runs change the slopes as far as their noise allows, and
	// the slopes are kept from point to point. Near a run the run counts for more than the slopes.
	MethodDirect Method = "direct"
)

// Shares of a map's spreads: a map of a similar machine is wrong by less than no map.
const (
	correctedSpread = 0.75
	directLength    = 1.0
)

// outputs returns the outputs of the machine's model by this method, and the base that the model corrects; nil: none.
// Origin is where the engine works with its own map of the machine.
func (how Method) outputs(m *machine.Machine, engineMap *components.KappaMap,
	origin machine.RunPoint) ([]surrogate.Output, surrogate.Base) {
	list := m.Outputs()
	if engineMap == nil || how == MethodMap || how == "" {
		return list, nil
	}
	base := engineBase(m, engineMap)
	at := origin.Coordinates(m.Dimension())
	values := make([]surrogate.Value, len(list))
	for k := range values {
		values[k].Slope = make([]float64, len(at))
	}
	base(at, values)
	for k := range list {
		if k == machine.OutputThrottle {
			continue // the map has no throttles
		}
		p := &list[k].Prior
		p.SlopeSpread = slices.Clone(p.SlopeSpread)
		floats.Scale(correctedSpread, p.SlopeSpread)
		if how == MethodScalars {
			p.Value, p.Slope = 0, make([]float64, len(at))
			continue
		}
		p.Origin, p.Value, p.Slope = at, values[k].V, values[k].Slope
		list[k].FixedLengths = true
	}
	if how == MethodDirect {
		base = nil
	}
	return list, base
}

// engineBase returns the engine's map in the outputs of the machine's model; that of the throttle is 0. Near choke a
// line of the map continues along its tangent, as the runs have to find where the machine chokes: an efficiency that
// falls by points in a hundredth of kappa, in the wrong place, would be hard to correct. Slopes are central
// differences, with an error of some 1e-9.
func engineBase(m *machine.Machine, engineMap *components.KappaMap) surrogate.Base {
	mapped := func(alpha, nu, kappa float64) (out outputs) {
		var v components.Responded
		engineMap.At(alpha, nu*m.Nc, kappa, &v)
		out[machine.OutputWc], out[machine.OutputEff] = math.Log(v.Wc), v.Eff[0]
		out[machine.OutputPRCore], out[machine.OutputEffCore] = math.Log(v.PR[1]), v.Eff[1]
		return out
	}
	slope := func(alpha, nu, kappa float64) (out outputs) {
		up, down := mapped(alpha, nu, kappa+kneeStep), mapped(alpha, nu, kappa-kneeStep)
		for k := range out {
			out[k] = (up[k] - down[k]) / (2 * kneeStep)
		}
		return out
	}
	at := func(p machine.RunPoint) outputs {
		alpha, nu, kappa := p.Alpha, p.Nu, p.Kappa
		if slope(alpha, nu, kappa)[machine.OutputWc] >= kneeSlope {
			return mapped(alpha, nu, kappa)
		}
		knee := numeric.Bisect(func(x float64) float64 { return kneeSlope - slope(alpha, nu, x)[machine.OutputWc] },
			kappa-kneeReach, kappa)
		out, tangent := mapped(alpha, nu, knee), slope(alpha, nu, knee)
		for k := range out {
			out[k] += tangent[k] * (kappa - knee)
		}
		return out
	}
	return func(x []float64, out []surrogate.Value) {
		p := machine.PointAt(x)
		here := at(p)
		for k := range out {
			out[k].V = here[k]
		}
		if len(out) == 0 || out[0].Slope == nil {
			return
		}
		const h = 1e-5
		for d, step := range []machine.RunPoint{{Nu: h}, {Kappa: h}, {Alpha: h}}[:len(x)] {
			up, down := at(p.Plus(step)), at(p.Less(step))
			for k := range out {
				out[k].Slope[d] = (up[k] - down[k]) / (2 * h)
			}
		}
	}
}

// outputs has a number for each output of a machine's model.
type outputs [machine.Outputs]float64

// A line is near choke where ln Wc rises by less than kneeSlope with kappa; a line that is flat rises by 1/2.
const (
	kneeSlope = 0.35
	kneeStep  = 1e-3 // of the differences
	kneeReach = 1.0  // search range for a steeper line
)
