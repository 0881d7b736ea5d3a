package march

import (
	"context"
	"strconv"

	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Steering lets users observe and change a marching solver during the run. The zero value is that of a run without
// steering.
type Steering struct {
	registry            *steer.Registry
	describe            Describe
	before              int64 // iterations that the run made earlier, with another solver
	total               int64
	iteration, residual steer.Gauge
	sensors             Sensors // nil: none
	history             Sensor  // of each iteration and its residual; nil: none
	numbers             [2]float64
}

// Sensor takes numbers of a thread, if it is on.
type Sensor = interface {
	On() bool
	Record(values ...float64)
}

// Sensors is the set of sensors of a run. Each thread of the solver requests its own.
type Sensors interface {
	Sensor(name, thread, block string) Sensor
	Region(name, thread, block string) Area
}

// Area is a region of a program, in a thread of it.
type Area = interface {
	Enter()
	Leave()
}

// Regions of a marching solver, in each of its workers.
const (
	LevelRegion    = "level"    // a cycle that starts on a mesh
	SweepRegion    = "sweep"    // a worker's share of a loop over the mesh
	ExchangeRegion = "exchange" // the flow beyond the mesh's sides
	BarrierRegion  = "barrier"  // waits for the other workers
)

// Regions of its main thread.
const (
	CheckpointRegion = "checkpoint" // writes the solution or the flow
	AverageRegion    = "average"    // averages the planes of its answer
)

// Enter enters a region of the main thread. The caller calls leave at its end.
func (s *Steering) Enter(region string) (leave func()) {
	r := s.Region(region, "main", "")
	r.Enter()
	return r.Leave
}

// Worker names a worker's thread, from 0.
func Worker(n int) string { return "worker " + strconv.Itoa(n) }

// Region returns a region of a thread, for a block; see [Sensors].
func (s *Steering) Region(name, thread, block string) Area {
	if s.sensors == nil {
		return unobserved{}
	}
	return s.sensors.Region(name, thread, block)
}

// unobserved is a region without sensors.
type unobserved struct{}

func (unobserved) Enter() {}
func (unobserved) Leave() {}

// HistorySensor is the sensor of a marching solver: it records iteration and residual of each iteration.
const HistorySensor = "history"

// Observe connects the sensors of a run to the solver; nil: none.
func (s *Steering) Observe(sensors Sensors) {
	if s.sensors = sensors; sensors != nil {
		s.history = sensors.Sensor(HistorySensor, "main", "")
	}
}

// Describe returns the description of a setting or input of the solver by its name in a request: unit, bounds, effect.
type Describe func(setting string) steer.Object

// Commanded returns the ending of a run that [Steering.Safe] had ended.
func Commanded(ctx context.Context) (Status, string, error) {
	if err := ctx.Err(); err != nil {
		return Stopped, err.Error(), err
	}
	return Stopped, "stopped on request", nil
}

// actuated lists the operations on an object that the solver's own thread changes.
var actuated = []steer.Operation{steer.Sense, steer.Actuate}

// Open begins the steering of a run that has made so many iterations before, with another solver. A nil registry is
// none.
func (s *Steering) Open(r *steer.Registry, before int64, describe Describe) {
	s.registry, s.before, s.describe = r, before, describe
	if r == nil {
		return
	}
	s.total = before
	s.iteration.Put(float64(before))
	see := func(name, doc string, g *steer.Gauge) {
		s.add(steer.Object{Name: name, Type: steer.Float, Doc: doc, Effect: steer.Monitor,
			Operations: []steer.Operation{steer.Sense, steer.Read}}, g.Binding())
	}
	see("iteration", "iterations made so far, on all meshes", &s.iteration)
	see("residual", "residual over the solver's reference", &s.residual)
}

// Iterations returns how many the run has made, with earlier solvers too.
func (s *Steering) Iterations() int64 { return s.total }

// Setting registers a value that a setting or input of the request sets. A change before the first iteration counts as
// a change of the request.
func (s *Steering) Setting(name string, t steer.Type, b steer.Binding) { s.register(name, name, t, b) }

// Guessed is Setting for a value that determined the first guess: a change before the first iteration leaves that
// guess, so it is not a change of the request.
func (s *Steering) Guessed(name string, t steer.Type, b steer.Binding) { s.register(name, "", t, b) }

func (s *Steering) register(name, setting string, t steer.Type, b steer.Binding) {
	if s.registry == nil {
		return
	}
	o := s.describe(name)
	o.Name, o.Setting, o.Type, o.Operations = name, setting, t, actuated
	s.add(o, b)
}

// Model registers a setting that determines the computed model.
func (s *Steering) Model(name string, b steer.Binding) {
	if s.registry == nil {
		return
	}
	o := s.describe(name)
	o.Name, o.Setting, o.Type, o.Effect, o.Operations = name, name, steer.Float, steer.Answer, actuated
	s.add(o, b)
}

// AddObject registers a value that no setting sets.
func (s *Steering) AddObject(o steer.Object, b steer.Binding) {
	if s.registry == nil {
		return
	}
	o.Operations = actuated
	s.add(o, b)
}

// See registers a value that can be read at safe points.
func (s *Steering) See(o steer.Object, get func() steer.Value) {
	if s.registry == nil {
		return
	}
	o.Effect, o.Operations = steer.Monitor, []steer.Operation{steer.Sense}
	s.add(o, steer.Seen(get))
}

// Course registers the settings of the iteration: Courant number, orders by which the residual falls, greatest number
// of iterations, and the limits for steady and closed.
func (s *Steering) Course(cfl, orders *float64, iterations *int, steady, massError *float64) {
	s.Setting("cfl", steer.Float, steer.FloatAt(cfl))
	s.Setting("orders", steer.Float, steer.FloatAt(orders))
	s.Setting("max_iterations", steer.Int, steer.IntAt(iterations))
	least, most := 1e-12, 0.1
	s.AddObject(steer.Object{
		Name: "limits.steady", Type: steer.Float, Min: &least, Max: &most, Effect: steer.Numerics,
		Doc: "relative change of the flow over 50 iterations that counts as steady",
	}, steer.FloatAt(steady))
	s.AddObject(steer.Object{
		Name: "limits.mass_error", Type: steer.Float, Min: &least, Max: &most, Effect: steer.Numerics,
		Doc: "(W_in - W_out)/W_in that counts as closed",
	}, steer.FloatAt(massError))
}

// Ends registers the exit condition that a run has: its throttle, by Setting or Guessed, its flow, or its pressure.
func (s *Steering) Ends(e *Exit, throttle func(name string, t steer.Type, b steer.Binding), pressure steer.Binding) {
	switch {
	case e.K > 0:
		throttle("throttle", steer.Float, steer.FloatAt(&e.K))
	case e.W > 0:
		s.Guessed("exit_W", steer.Float, steer.FloatAt(&e.W))
	default:
		zero := 0.0
		s.AddObject(steer.Object{Name: "exit_Ps", Type: steer.Float, Unit: "Pa", Min: &zero, Effect: steer.Answer,
			Doc: "static pressure at the exit"}, pressure)
	}
}

// Flow registers the quantities of a report and the number of the marched mesh for reading. The mesh number costs no
// time: rules of the run's own read it after each iteration.
func (s *Steering) Flow(mesh *int, progress func() Progress) {
	s.See(steer.Object{Name: "mesh", Type: steer.Float, Doc: "number of the mesh that is marched, 0 the coarsest"},
		func() steer.Value {
			return steer.FloatValue(float64(*mesh))
		})
	number := func(name, unit, doc string, of func(*Progress) float64) {
		s.See(steer.Object{Name: name, Type: steer.Float, Unit: unit, Doc: doc}, func() steer.Value {
			p := progress()
			return steer.FloatValue(of(&p))
		})
	}
	number("W_in", "kg/s", "flow through the inlet", func(p *Progress) float64 { return p.WIn })
	number("W_out", "kg/s", "flow through the exit", func(p *Progress) float64 { return p.WOut })
	number("PR", "", "total pressure ratio of mass averages", func(p *Progress) float64 { return p.PR })
	number("eff", "", "adiabatic efficiency", func(p *Progress) float64 { return p.Eff })
	profile := func(name, unit, doc string, of func(*Station) []float64) {
		if s.registry == nil {
			return
		}
		cells := len(of(progress().Exit))
		s.See(steer.Object{Name: "exit." + name, Type: steer.Array, Shape: []int{cells}, Unit: unit,
			Doc: doc + " at the exit, from the hub to the casing"}, func() steer.Value {
			return steer.ArrayValue(of(progress().Exit))
		})
	}
	profile("Pt", "Pa", "total pressure", func(e *Station) []float64 { return e.PtCell })
	profile("Tt", "K", "total temperature", func(e *Station) []float64 { return e.TtCell })
	profile("Vz", "m/s", "axial velocity", func(e *Station) []float64 { return e.Vz })
	profile("Vtheta", "m/s", "circumferential velocity", func(e *Station) []float64 { return e.Vtheta })
}

// add registers an object. A solver that follows another in the same run replaces its objects.
func (s *Steering) add(o steer.Object, b steer.Binding) { s.registry.Replace(o, b) }

// Safe is called at each safe point: before the first iteration and after each, while all threads of the solver wait.
// It reports whether the run is to end there.
func (s *Steering) Safe(ctx context.Context, total int, residual float64) (ends bool) {
	if s.registry == nil {
		return false
	}
	s.total = s.before + int64(total)
	s.iteration.Put(float64(s.total))
	s.residual.Put(residual)
	if s.history != nil && s.history.On() {
		s.numbers = [2]float64{float64(s.total), residual}
		s.history.Record(s.numbers[:]...)
	}
	return s.registry.Armed() && s.registry.Obey(ctx, s.total) == steer.End
}
