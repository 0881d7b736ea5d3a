package machine

// Kinds of component without a map: a solver gives their parameters over one or two coordinates.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Names of inputs and outputs of solvers of ducts, inlets, nozzles and burners, besides the names for blade rows. The
// flow ahead is uniform: its state is three numbers.
const (
	InTotalPressure    = "Pt"  // Pa, at the inlet
	InTotalTemperature = "Tt"  // K, at the inlet
	InFlow             = "W"   // kg/s
	InAmbient          = "Ps"  // Pa, ambient pressure of a nozzle
	InMach             = "MN"  // of flight
	InFAR              = "FAR" // fuel over the flow into a burner
	InFuelTemperature  = "fuel_Tt"

	OutThrust = "Fg" // gross thrust, N
	OutThroat = "A"  // geometric throat area, m2
)

// lawful is a kind of component without a map.
//
//	coordinates  differences from the design: ln of a flow or pressure ratio over the design's, of a Mach number or
//	             fuel-air ratio as they are
//	outputs      parameters of the component, losses as ln
type lawful struct {
	coordinates []lawCoordinate
	parameters  []lawParameter
	given, read []exchanged
	// inputs returns the inputs that distinguish the run at a place from others.
	inputs func(m *Machine, place [2]float64) map[string]float64
	// measure returns the place of a run and the parameters there.
	measure func(m *Machine, in map[string]float64, out *plugin.Result) (place, values [2]float64, err error)
}

// lawCoordinate is a coordinate of a law: its name, and whether it counts by its logarithm. Length is the distance over
// which parameters bend, in the model's coordinate.
type lawCoordinate struct {
	name   string
	log    bool
	length float64
}

// lawParameter is a parameter with its prior and its greatest possible value.
type lawParameter struct {
	name      string
	log       bool
	slope     []float64
	level     float64 // standard deviation about the engine's value
	slopes    []float64
	amplitude float64
	most      float64
	settles   string // the output that states the parameter's distance from settling
}

func (k lawful) exchange() (given, read []exchanged) { return k.given, k.read }

func (lawful) stands(*blade.Geometry) error { return nil }

func (lawful) gridded() bool { return false }

func (lawful) design(*Machine) RunPoint { return RunPoint{} }

// at returns the point of a place.
func (k lawful) at(m *Machine, place [2]float64) RunPoint {
	var x [2]float64
	for i, c := range k.coordinates {
		x[i] = place[i] - m.Place[i]
		if c.log {
			x[i] = math.Log(place[i] / m.Place[i])
		}
	}
	return RunPoint{Nu: x[0], Kappa: x[1]}
}

// place returns the place of a point, rounded to the steps of requests.
func (k lawful) place(m *Machine, p RunPoint) (place [2]float64) {
	for i, c := range k.coordinates {
		x := nuStep * math.Round([]float64{p.Nu, p.Kappa}[i]/nuStep)
		place[i] = m.Place[i] + x
		if c.log {
			place[i] = m.Place[i] * math.Exp(x)
		}
		place[i] = numeric.Round(place[i], 9)
	}
	return place
}

func (k lawful) outputs(m *Machine) (list []surrogate.Output) {
	lengths := convert.All(k.coordinates, func(c lawCoordinate) float64 { return c.length })
	for i, p := range k.parameters {
		v := m.Values[i]
		if p.log {
			v = math.Log(max(v, leastLoss))
		}
		list = append(list, surrogate.Output{Name: p.name, Prior: surrogate.Prior{
			Origin: make([]float64, len(lengths)), Value: v, Slope: p.slope, ValueSpread: p.level,
			SlopeSpread: p.slopes, Amplitude: p.amplitude, Lengths: lengths,
		}})
	}
	return list
}

// leastLoss is taken for a loss of the engine's that is 0, whose logarithm is none.
const leastLoss = 1e-3

func (k lawful) seen(*Machine) (all []int) {
	for i := range k.parameters {
		all = append(all, i)
	}
	return all
}

// values sets the parameters from the outputs of the model.
func (k lawful) values(out []surrogate.Value, v []float64) {
	for i, p := range k.parameters {
		v[i] = out[i].V
		if p.log {
			v[i] = math.Exp(v[i])
		}
	}
}

func (k lawful) want(m *Machine, p RunPoint, _ []surrogate.Value) Wanted {
	place := k.place(m, p)
	name := []string{m.Name}
	for i, c := range k.coordinates {
		name = append(name, fmt.Sprintf("%s%.6g", c.name, place[i]))
	}
	return Wanted{Name: strings.Join(name, "-"), Inputs: k.inputs(m, place)}
}

func (k lawful) request(m *Machine, inputs map[string]float64) (plugin.Request, error) {
	pt, tt, _, _ := m.inlet()
	r := plugin.Request{
		Numbers: map[string]float64{InGamma: m.Gamma, InR: m.R, InTotalPressure: pt, InTotalTemperature: tt},
		Texts:   map[string]string{},
	}
	if m.Geometry != "" {
		r.Texts[InGeometry] = m.Geometry
	}
	for _, g := range k.given {
		if v, ok := inputs[g.name]; ok {
			r.Numbers[g.name] = v
		}
	}
	m.set(&r)
	return r, nil
}

func (k lawful) answer(m *Machine, o *run.Outcome) (surrogate.Observation, Uncertainty, error) {
	if !o.OK() {
		return surrogate.Observation{}, Uncertainty{}, o.Err
	}
	stated := math.Abs(o.Result.Numbers[OutMass])
	place, values, err := k.measure(m, o.Job.Request.Numbers, &o.Result)
	if err != nil {
		return surrogate.Observation{}, Uncertainty{}, fmt.Errorf("run %s: %w", o.Run, err)
	}
	at := k.at(m, place)
	a := surrogate.Observation{Key: o.Job.Name, X: slices.Clone(at.Coordinates(len(k.coordinates)))}
	var d Uncertainty
	for i, p := range k.parameters {
		v := values[i]
		if !(v > 0) || v > p.most+0.01+stated {
			return a, d, fmt.Errorf("run %s: its %s is %.5g, which cannot be: it is above 0 and at most %g", o.Run,
				p.name, v, p.most)
		}
		noise, unsettled := max(stated, LeastNoise), o.Result.Numbers[p.settles]
		if p.log {
			unsettled *= (1 - v) / v // it is that of the pressure ratio, 1 - v
			v = math.Log(v)
		} else {
			noise, unsettled = noise*v, unsettled*v
		}
		a.Y, d.Balance, d.Convergence = append(a.Y, v), append(d.Balance, noise), append(d.Convergence, unsettled)
	}
	a.Noise = d.noise()
	return a, d, nil
}

// stateGiven are the inputs of every request for a component without blades.
var stateGiven = []exchanged{{InGamma, plugin.Scalar}, {InR, plugin.Scalar}, {InTotalPressure, plugin.Scalar},
	{InTotalTemperature, plugin.Scalar}}

// exitRead lists the outputs that give a loss of total pressure.
var exitRead = []exchanged{
	{OutW, plugin.Scalar}, {OutMass, plugin.Scalar}, {OutExitW, plugin.Profile}, {OutExitPt, plugin.Profile},
	{OutExitTt, plugin.Profile},
}

// lossPrior is the prior of a loss of total pressure: about that of the engine within a factor of two, and proportional
// to the square of the flow (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 5.13).
var lossPrior = lawParameter{name: "dPqP", log: true, slope: []float64{2}, level: 0.7, slopes: []float64{0.5},
	amplitude: 0.1, most: 0.99, settles: OutPRError}

// passage returns the place of a duct's run, its corrected flow in kg/s, and its loss.
func (m *Machine) passage(out *plugin.Result) (place, values [2]float64, err error) {
	exit, err := m.exitOf(out)
	if err != nil {
		return place, values, err
	}
	pt, _, _, _ := m.inlet()
	return [2]float64{m.corrected(out.Numbers[OutW])}, [2]float64{1 - exit.Pt[average.Mass]/pt}, nil
}

// The inputs and outputs that zooms and flow solvers exchange.

// exchanged is an input or output that zooming uses.
type exchanged struct {
	name  string
	shape plugin.Shape
}

var geometryGiven = exchanged{InGeometry, plugin.Text}

// rowsGiven are the inputs of a request for a machine with blade rows, besides its geometry.
var rowsGiven = []exchanged{
	{InSpeed, plugin.Scalar}, {InGamma, plugin.Scalar}, {InR, plugin.Scalar},
	{InThrottle, plugin.Scalar},
	{InSpan, plugin.Profile}, {InPt, plugin.Profile}, {InTt, plugin.Profile}, {InAlpha, plugin.Profile},
}

// rowsRead are the outputs that make a point of its model, and its error.
var rowsRead = []exchanged{
	{OutW, plugin.Scalar}, {OutMass, plugin.Scalar}, {OutEnergy, plugin.Scalar},
	{OutExitW, plugin.Profile}, {OutExitPt, plugin.Profile}, {OutExitTt, plugin.Profile},
}
