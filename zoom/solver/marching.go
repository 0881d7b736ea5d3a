package solver

// The common parts of the built-in flow solvers as plugins: both march to a steady state and report iterations, and
// both can be paused, saved and resumed.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// controls are the settings that may change while a solver runs.
var controls = []string{"cfl", "max_iterations", "orders"}

// describe returns the description of a setting or input for the registry of a run: a setting affects the numerics, an
// input the answer.
func describe(d plugin.Description) march.Describe {
	return func(name string) steer.Object {
		of := func(q plugin.Quantity, effect steer.Effect) steer.Object {
			return steer.Object{Unit: q.Unit, Doc: q.Doc, Min: q.Min, Max: q.Max, Effect: effect}
		}
		for _, q := range d.Settings {
			if q.Name == name {
				return of(q, steer.Numerics)
			}
		}
		for _, q := range d.Inputs {
			if q.Name == name {
				return of(q, steer.Answer)
			}
		}
		return steer.Object{Effect: steer.Answer}
	}
}

// marchingSensors are the sensors of every marching solver.
var marchingSensors = []sensor.Spec{{
	Name: march.HistorySensor, Kind: sensor.Tracing,
	Doc:    "iteration and residual of each iteration, where reports are of each twentieth",
	Fields: []sensor.Field{{Name: "iteration"}, {Name: "residual"}},
}, {
	Name: march.LevelRegion, Kind: sensor.Region, Doc: "a cycle that starts on a mesh, its block",
}, {
	Name: march.SweepRegion, Kind: sensor.Region, Doc: "each worker's share of a loop over the mesh",
}, {
	Name: march.ExchangeRegion, Kind: sensor.Region, Doc: "the flow beyond the mesh's sides",
}, {
	Name: march.BarrierRegion, Kind: sensor.Region, Doc: "a worker waits for the others",
}, {
	Name: march.CheckpointRegion, Kind: sensor.Region, Doc: "the solution or the flow is written",
}, {
	Name: march.AverageRegion, Kind: sensor.Region, Doc: "the planes of the answer are averaged",
}}

// observe returns the observer of a run: it reports iterations to the host.
func observe(emit func(event.Event)) func(march.Progress) march.Reply {
	n := 0
	return func(p march.Progress) march.Reply {
		emit(event.Event{Kind: event.Iteration, Values: map[string]float64{
			"iteration": float64(p.Iteration), "mesh": float64(p.Mesh), "residual": p.Residual, "W_in": p.WIn,
			"W_out": p.WOut, "PR": p.PR, "eff": p.Eff,
		}})
		if n++; n%profileEvery == 1 && len(p.Blade) > 0 {
			emit(event.Event{Kind: event.Profile, Values: map[string]float64{"iteration": float64(p.Iteration)},
				Arrays: bladePressure(p.Blade)})
		}
		return march.Continue
	}
}

// profileEvery is the number of reports for each report of the pressure along the blades.
const profileEvery = 5

// bladePressure names the lines of pressure along the blades. It rounds them to 1 Pa: they are for looking at.
func bladePressure(lines [][]float64) map[string][]float64 {
	names := []string{"Ps_blade_lower", "Ps_blade_upper"}
	if len(lines) == 1 {
		names = []string{"Ps_blade"}
	}
	out := map[string][]float64{}
	for i, line := range lines {
		rounded := make([]float64, len(line))
		for k, ps := range line {
			rounded[k] = math.Round(ps)
		}
		out[names[i]] = rounded
	}
	return out
}

// solvable is a solver whose solutions are of type S.
type solvable[S any] interface {
	GoesOn(S) bool
	Resume(S) error
	StartFrom(S) error
}

// resume continues a run from the solution that a request names, and reports whether it does. It ignores the solution
// of a run that had ended when it was killed: no step follows, and the solution lacks the rest of the answer. The run
// then begins anew.
func resume[S any](req plugin.Request, load func(io.Reader) (S, error), solver solvable[S]) (bool, error) {
	sol, there, err := solutionOf(req, plugin.InRestart, load)
	if err != nil || !there || !solver.GoesOn(sol) {
		return false, err
	}
	if err = solver.Resume(sol); err != nil {
		return false, fmt.Errorf("%s: %s: %w", plugin.InRestart, req.Texts[plugin.InRestart], err)
	}
	return true, nil
}

// jump gives a run the flow of the neighbour that a request names as its first guess, and reports whether it does.
func jump[S any](req plugin.Request, load func(io.Reader) (S, error), solver solvable[S]) (bool, error) {
	sol, there, err := solutionOf(req, plugin.InNeighbour, load)
	if err != nil || !there {
		return false, err
	}
	if err = solver.StartFrom(sol); err != nil {
		return false, fmt.Errorf("%s: %s: %w", plugin.InNeighbour, req.Texts[plugin.InNeighbour], err)
	}
	return true, nil
}

// solutionOf reads the solution that an input of a request names, if any.
func solutionOf[S any](req plugin.Request, input string,
	load func(io.Reader) (S, error)) (sol S, there bool, err error) {
	path := req.Texts[input]
	if path == "" {
		return sol, false, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(req.Folder, path)
	}
	data, err := intake.Read(path, intake.Limit{What: "a solution", Bytes: 4 << 30})
	if err != nil {
		return sol, false, fmt.Errorf("%s: %w", input, err)
	}
	if sol, err = load(bytes.NewReader(data)); err != nil {
		return sol, false, fmt.Errorf("%s: %s: %w", input, path, err)
	}
	return sol, true, nil
}

// alone returns a request without the solutions of other runs.
func alone(req plugin.Request) plugin.Request {
	req.Texts = maps.Clone(req.Texts)
	delete(req.Texts, plugin.InRestart)
	delete(req.Texts, plugin.InNeighbour)
	return req
}

// failedJump reports whether a run did not settle from its neighbour's flow, and emits a message: the run begins anew
// from its first guess, as the neighbour must not decide whether the run has an answer.
func failedJump(jumped bool, r *march.Result, emit func(event.Event)) bool {
	if !jumped || r.Status == march.Converged || r.Status == march.Stopped {
		return false
	}
	emit(event.Event{
		Kind: event.Message, Text: fmt.Sprintf("begins anew, as it did not settle from its neighbour's flow: %s: %s",
			r.Status, r.Message),
	})
	return true
}

func number(name, symbol string, dim unit.Dimension, def any, min, max float64, doc string) plugin.Quantity {
	q := plugin.Quantity{Name: name, Unit: symbol, Dim: dim, Shape: plugin.Scalar, Min: &min, Max: &max, Doc: doc}
	if v, ok := def.(float64); ok {
		q.Default = &v
	}
	return q
}

func output(name, symbol string, dim unit.Dimension, shape plugin.Shape, doc string) plugin.Quantity {
	return plugin.Quantity{Name: name, Unit: symbol, Dim: dim, Shape: shape, Doc: doc}
}

// coarse marks a number of cells in one direction; the coarse mesh has half of it.
func coarse(q plugin.Quantity) plugin.Quantity {
	half := 0.5
	q.Coarse = &half
	return q
}

func require(q plugin.Quantity) plugin.Quantity {
	q.Required = true
	return q
}

// bladeRowInputs returns the inputs of every built-in blade-row solver.
func bladeRowInputs() []plugin.Quantity {
	return []plugin.Quantity{
		{Name: machine.InGeometry, Shape: plugin.Text, Required: true, Doc: "geometry file: flow path and blade rows"},
		require(number(machine.InSpeed, "rpm", unit.Speed, nil, 1, 1e6, "speed of the rotating rows")),
		require(number(machine.InGamma, "", unit.None, nil, 1.01, 1.7, "ratio of specific heats")),
		require(number(machine.InR, "J/(kg K)", unit.SpecificEntropy, nil, 10, 5000, "gas constant")),
		require(
			number(machine.InThrottle, "Pa s2/kg2", unit.None, nil, 1e-9, 1e9, "K of the exit condition Ps = K W^2"),
		),
		{Name: machine.InSpan, Shape: plugin.Profile, Required: true, Doc: "fractions of the inlet area from the hub"},
		{Name: machine.InPt, Unit: "Pa", Dim: unit.Pressure, Shape: plugin.Profile, Required: true,
			Doc: "inlet total pressure"},
		{Name: machine.InTt, Unit: "K", Dim: unit.Temperature, Shape: plugin.Profile, Required: true,
			Doc: "inlet total temperature"},
		{Name: machine.InAlpha, Unit: "rad", Dim: unit.Angle, Shape: plugin.Profile, Required: true,
			Doc: "inlet swirl angle"},
		number(machine.InSetting, "deg", unit.None, nil, -180, 180,
			"alpha: each row of the geometry that has a setting is turned by that times this angle; without it "+
				"by none"),
		{
			Name: plugin.InNeighbour, Shape: plugin.FileName,
			Doc: "solution of a near request with the same geometry and mesh, whose flow is the first guess",
		},
		{
			Name: plugin.InRestart, Shape: plugin.FileName,
			Doc: "solution of a run of the same request, or of one with fewer orders, to go on from",
		},
	}
}

// bladeRows returns the geometry of a request, with its rows turned as the setting has them.
func bladeRows(req plugin.Request) (*blade.Geometry, error) {
	g, err := blade.Parse([]byte(req.Texts[machine.InGeometry]))
	if err != nil {
		return nil, err
	}
	return g.Turned(req.Numbers[machine.InSetting] * math.Pi / 180)
}

// noRows returns the result of a run without rows. An impossible setting of the rows is an answer, which a retry cannot
// change.
func noRows(err error) (plugin.Result, error) {
	var turned *blade.TurnError
	if errors.As(err, &turned) {
		return plugin.Result{Class: event.Unphysical, Message: err.Error()}, nil
	}
	return plugin.Result{}, err
}

// bladeRowInlet returns the inlet of a request.
func bladeRowInlet(req plugin.Request) march.Inlet {
	return march.Inlet{Span: req.Arrays[machine.InSpan], Pt: req.Arrays[machine.InPt], Tt: req.Arrays[machine.InTt],
		Alpha: req.Arrays[machine.InAlpha]}
}

// exitFlowInput and exitFlowOutput return the further quantities of a solver that can hold the flow that leaves.
func exitFlowInput() plugin.Quantity {
	q := number(machine.InExitFlow, "kg/s", unit.MassFlow, nil, 1e-6, 1e6,
		"flow that leaves, by whatever throttle that takes")
	q.InPlaceOf = machine.InThrottle
	return q
}

func exitFlowOutput() plugin.Quantity {
	return output(machine.OutThrottle, "Pa s2/kg2", unit.None, plugin.Scalar,
		"K = Ps/W^2 to which the run came, if exit_W was given")
}

// bladeRowExit returns the exit condition of a request. The request has one of the two numbers; the other is 0.
func bladeRowExit(req plugin.Request) march.Exit {
	return march.Exit{K: req.Numbers[machine.InThrottle], W: req.Numbers[machine.InExitFlow]}
}

// bladeRowOutputs returns the outputs of every built-in blade-row solver.
func bladeRowOutputs() []plugin.Quantity {
	return []plugin.Quantity{
		output(machine.OutW, "kg/s", unit.MassFlow, plugin.Scalar, "inlet mass flow"),
		output(machine.OutPR, "", unit.None, plugin.Scalar, "total pressure ratio of mass averages"),
		output(machine.OutTR, "", unit.None, plugin.Scalar, "total temperature ratio of mass averages"),
		output(machine.OutEff, "", unit.None, plugin.Scalar, "adiabatic efficiency"),
		output(machine.OutMass, "", unit.None, plugin.Scalar, "(W_in - W_out)/W_in"),
		output(machine.OutEnergy, "", unit.None, plugin.Scalar, "(shaft power - W cp dTt)/shaft power"),
		output(machine.OutWError, "", unit.None, plugin.Scalar,
			"estimated distance of W from where it would settle, relative"),
		output(machine.OutPRError, "", unit.None, plugin.Scalar, "that of PR"),
		output(machine.OutEffError, "", unit.None, plugin.Scalar, "that of eff"),
		output(machine.OutChoked, "", unit.None, plugin.Scalar, "1 if a blade row is choked"),
		output("iterations", "", unit.None, plugin.Scalar, "iterations made"),
		output("residual", "", unit.None, plugin.Scalar, "last residual over the first"),
		output(machine.OutExitR, "m", unit.Length, plugin.Profile, "radius of the exit's cells"),
		output(machine.OutExitW, "kg/s", unit.MassFlow, plugin.Profile, "mass flow of each cell at the exit"),
		output(machine.OutExitPt, "Pa", unit.Pressure, plugin.Profile, "total pressure at the exit"),
		output(machine.OutExitTt, "K", unit.Temperature, plugin.Profile, "total temperature at the exit"),
		output("exit_Ps", "Pa", unit.Pressure, plugin.Profile, "static pressure at the exit"),
		output("exit_Vz", "m/s", unit.Velocity, plugin.Profile, "axial velocity at the exit"),
		output("exit_Vtheta", "m/s", unit.Velocity, plugin.Profile, "circumferential velocity at the exit"),
	}
}

// marchingFiles returns the files that every marching solver writes.
func marchingFiles(grid string) []history.File {
	return []history.File{
		{
			Pattern: march.HistoryFile, Format: "regexp", Doc: "history, a line every 20 iterations",
			Patterns: []history.Pattern{
				{
					Regexp: `^(?P<iteration>\d+) (?P<residual>\S+) (?P<W_in>\S+) (?P<W_out>\S+) (?P<PR>\S+) (?P<eff>\S+) \S+ (?P<mesh>\d+)$`,
				},
			},
		},
		{Pattern: march.GridFile, Format: "plot3d", Doc: grid},
		{Pattern: march.FlowFile, Format: "plot3d", Doc: "flow on that grid"},
		{
			Pattern: march.SolutionFile, Format: plugin.SolutionFormat,
			Doc: "state from which a run can go on; a checkpoint while it runs",
		},
	}
}

var marchingClass = map[march.Status]event.Class{
	march.Converged: event.Converged, march.NotConverged: event.NotConverged, march.Diverged: event.Diverged,
	march.Stalled: event.Stalled, march.Stopped: event.Killed,
}

// exitFlowResult returns the result of a solver that can hold the flow that leaves.
func exitFlowResult(req plugin.Request, r *march.Result) plugin.Result {
	res := bladeRowResult(r)
	if req.Numbers[machine.InExitFlow] > 0 && r.Exit.W > 0 {
		res.Numbers[machine.OutThrottle] = r.Ps / (r.Exit.W * r.Exit.W)
	}
	return res
}

// bladeRowResult returns a run's result under the names of bladeRowOutputs.
func bladeRowResult(r *march.Result) plugin.Result {
	choked := 0.0
	if r.Choked {
		choked = 1
	}
	return plugin.Result{
		Class: marchingClass[r.Status], Message: r.Message,
		Numbers: map[string]float64{
			machine.OutW: r.W, machine.OutPR: r.PR, machine.OutTR: r.TR, machine.OutEff: r.Eff,
			machine.OutMass:   r.MassError,
			machine.OutEnergy: r.EnergyError,
			machine.OutWError: r.Unsettled.W, machine.OutPRError: r.Unsettled.PR, machine.OutEffError: r.Unsettled.Eff,
			machine.OutChoked: choked, "iterations": float64(r.Iterations), "residual": r.Residual,
		},
		Arrays: map[string][]float64{
			machine.OutExitR: r.Exit.R, machine.OutExitW: r.Exit.DW, machine.OutExitPt: r.Exit.PtCell,
			machine.OutExitTt: r.Exit.TtCell,
			"exit_Ps":         r.Exit.Ps, "exit_Vz": r.Exit.Vz, "exit_Vtheta": r.Exit.Vtheta,
		},
	}
}
