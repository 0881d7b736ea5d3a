package machine

// The contract of a kind of component with a flow solver and with the engine. A kind is a file with its type, and an
// entry in kinds.

import (
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// kind is how components of a kind are zoomed.
type kind interface {
	// exchange lists the inputs that its requests give a solver, and the outputs read from the answers.
	exchange() (given, read []exchanged)
	// stands reports why a geometry cannot be that of such a component; nil geometry: it has no blades.
	stands(g *blade.Geometry) error
	// gridded reports whether a grid of speed lines and throttles makes its map.
	gridded() bool

	// design is the point of the engine's design.
	design(m *Machine) RunPoint
	// outputs returns the outputs of the model, with their priors.
	outputs(m *Machine) []surrogate.Output
	// seen are the outputs that the engine sees.
	seen(m *Machine) []int
	// want returns the run that is expected to find a point, at which the model has these values.
	want(m *Machine, p RunPoint, there []surrogate.Value) Wanted
	// request is the request for a run with these inputs.
	request(m *Machine, inputs map[string]float64) (plugin.Request, error)
	// answer returns a run's answer to the model, at the point that it found, and its uncertainty.
	answer(m *Machine, o *run.Outcome) (surrogate.Observation, Uncertainty, error)
}

// charted is a kind whose components work on a map, in whose place a response comes.
type charted interface {
	// point is the point of an operating point of the engine.
	point(m *Machine, t Target) RunPoint
	// at is the point at a setting, deg, a corrected speed, rpm, and the third coordinate of the response.
	at(m *Machine, alpha, nc, x float64) RunPoint
	// third returns the third coordinate at a point.
	third(p RunPoint) float64
	// respond sets the values that the engine uses from the outputs at a point.
	respond(m *Machine, p RunPoint, out []surrogate.Value, v *components.Responded)
}

// kinds are all of them, by the component's type.
var kinds = map[string]kind{
	"fan": compression{}, "compressor": compression{}, "turbine": expansion{},
	"nozzle": nozzle, "inlet": inlet, "duct": duct, "burner": burner,
}

// Gridded reports whether a grid of speed lines and throttles can make the map of a type of component; others
// are zoomed in rounds.
func Gridded(componentType string) bool { return kinds[componentType].gridded() }

// Bladed reports whether the runs of a type of component need blades.
func Bladed(componentType string) bool {
	_, ok := kinds[componentType].(charted)
	return ok
}

// Stands reports why a geometry cannot be that of a type of component. Geometry is nil for a component without blades.
func Stands(componentType string, g *blade.Geometry) error { return kinds[componentType].stands(g) }

// kind returns the kind of the machine; without a type it is a compressor.
func (m *Machine) kind() kind {
	if m.Type == "" {
		return compression{}
	}
	return kinds[m.Type]
}

// PointOf returns the point of an operating point of a component with a map.
func (m *Machine) PointOf(t Target) RunPoint { return m.kind().(charted).point(m, t) }

// PointOn returns the point at a setting, deg, a corrected speed, rpm, and the third coordinate of such a component's
// response.
func (m *Machine) PointOn(alpha, nc, x float64) RunPoint {
	return m.kind().(charted).at(m, alpha, nc, x)
}

// PointAt returns the point of a component without a map at a place; see components.LawUse.
func (m *Machine) PointAt(place [2]float64) RunPoint { return m.kind().(lawful).at(m, place) }

// DesignPoint returns the point of the engine's design.
func (m *Machine) DesignPoint() RunPoint { return m.kind().design(m) }

// Answer returns a run's answer to the machine's model, and its uncertainty.
func (m *Machine) Answer(o *run.Outcome) (surrogate.Observation, Uncertainty, error) {
	a, d, err := m.kind().answer(m, o)
	a.Source, a.Steered = o.Key, len(o.Steered) > 0
	return a, d, err
}

// Outputs are those of the machine's model, with what is thought of them before there are runs.
func (m *Machine) Outputs() []surrogate.Output { return m.kind().outputs(m) }

// Seen returns the outputs that the engine uses.
func (m *Machine) Seen() []int { return m.kind().seen(m) }

// Want returns the run that is expected to find a point, at which the model has these values.
func (m *Machine) Want(p RunPoint, there []surrogate.Value) Wanted { return m.kind().want(m, p, there) }

// RequestOf returns the request for a run with these inputs.
func (m *Machine) RequestOf(inputs map[string]float64) (plugin.Request, error) {
	return m.kind().request(m, inputs)
}

// Third returns the third coordinate of the response of a component with a map, at a point.
func (m *Machine) Third(p RunPoint) float64 { return m.kind().(charted).third(p) }

// Respond sets the values that the engine uses of a component with a map, from the outputs at a point.
func (m *Machine) Respond(p RunPoint, out []surrogate.Value, v *components.Responded) {
	m.kind().(charted).respond(m, p, out, v)
}

// Parameters sets the parameters of a component without a map from the outputs of the model.
func (m *Machine) Parameters(out []surrogate.Value, v []float64) { m.kind().(lawful).values(out, v) }

// Charted reports whether the component works on a map.
func (m *Machine) Charted() bool {
	_, ok := m.kind().(charted)
	return ok
}

// Compresses reports whether the machine is a fan or a compressor.
func (m *Machine) Compresses() bool { return m.kind().gridded() }

// Dimension returns the number of a machine's coordinates.
func (m *Machine) Dimension() int { return len(m.Outputs()[0].Prior.Origin) }

// Distance returns a function that measures the distance of two places of the model, in lengths of its first output.
func (m *Machine) Distance() func(x, y []float64) float64 {
	lengths := m.Outputs()[0].Prior.Lengths
	return func(x, y []float64) (d float64) {
		for i := range x {
			d = math.Hypot(d, (x[i]-y[i])/lengths[i])
		}
		return d
	}
}
