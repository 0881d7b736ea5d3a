package main

import (
	"context"
	"math"

	"github.com/peregrine-sim/peregrine/components/blade"
	"github.com/peregrine-sim/peregrine/components/throughflow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// throughflowSolver serves the built-in axisymmetric solver as a plugin.
type throughflowSolver struct{}

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

func require(q plugin.Quantity) plugin.Quantity {
	q.Required = true
	return q
}

// bladeRowInputs are what every built-in blade-row solver takes.
func bladeRowInputs() []plugin.Quantity {
	return []plugin.Quantity{
		{Name: zoom.InGeometry, Shape: plugin.Text, Required: true, Doc: "geometry file: flow path and blade rows"},
		require(number(zoom.InSpeed, "rpm", unit.Speed, nil, 1, 1e6, "speed of the rotating rows")),
		require(number(zoom.InGamma, "", unit.None, nil, 1.01, 1.7, "ratio of specific heats")),
		require(number(zoom.InR, "J/(kg K)", unit.SpecificEntropy, nil, 10, 5000, "gas constant")),
		require(number(zoom.InThrottle, "Pa s2/kg2", unit.None, nil, 1e-9, 1e9, "K of the exit condition Ps = K W^2")),
		{Name: zoom.InSpan, Shape: plugin.Profile, Required: true, Doc: "fractions of the inlet area from the hub"},
		{Name: zoom.InPt, Unit: "Pa", Dim: unit.Pressure, Shape: plugin.Profile, Required: true, Doc: "inlet total pressure"},
		{Name: zoom.InTt, Unit: "K", Dim: unit.Temperature, Shape: plugin.Profile, Required: true, Doc: "inlet total temperature"},
		{Name: zoom.InAlpha, Unit: "rad", Dim: unit.Angle, Shape: plugin.Profile, Required: true, Doc: "inlet swirl angle"},
	}
}

// bladeRowOutputs are what every built-in blade-row solver gives.
func bladeRowOutputs() []plugin.Quantity {
	return []plugin.Quantity{
		output(zoom.OutW, "kg/s", unit.MassFlow, plugin.Scalar, "inlet mass flow"),
		output(zoom.OutPR, "", unit.None, plugin.Scalar, "total pressure ratio of mass averages"),
		output(zoom.OutTR, "", unit.None, plugin.Scalar, "total temperature ratio of mass averages"),
		output(zoom.OutEff, "", unit.None, plugin.Scalar, "adiabatic efficiency"),
		output(zoom.OutMass, "", unit.None, plugin.Scalar, "(W_in - W_out)/W_in"),
		output(zoom.OutEnergy, "", unit.None, plugin.Scalar, "(shaft power - W cp dTt)/shaft power"),
		output(zoom.OutChoked, "", unit.None, plugin.Scalar, "1 if a blade row is choked"),
		output("iterations", "", unit.None, plugin.Scalar, "iterations made"),
		output("residual", "", unit.None, plugin.Scalar, "last residual over the first"),
		output(zoom.OutExitR, "m", unit.Length, plugin.Profile, "radius of the exit's cells"),
		output(zoom.OutExitW, "kg/s", unit.MassFlow, plugin.Profile, "mass flow of each cell at the exit"),
		output(zoom.OutExitPt, "Pa", unit.Pressure, plugin.Profile, "total pressure at the exit"),
		output(zoom.OutExitTt, "K", unit.Temperature, plugin.Profile, "total temperature at the exit"),
		output("exit_Ps", "Pa", unit.Pressure, plugin.Profile, "static pressure at the exit"),
		output("exit_Vz", "m/s", unit.Velocity, plugin.Profile, "axial velocity at the exit"),
		output("exit_Vtheta", "m/s", unit.Velocity, plugin.Profile, "circumferential velocity at the exit"),
	}
}

// Describe implements plugin.Solver.
func (throughflowSolver) Describe() plugin.Description {
	return plugin.Description{
		Name: "throughflow", Version: "1", Fidelity: "axisymmetric Euler with blade forces",
		Inputs:  bladeRowInputs(),
		Outputs: bladeRowOutputs(),
		Settings: []plugin.Quantity{
			number("cells_z", "", unit.None, 80.0, 64, 4096, "cells along the flow, a multiple of 4"),
			number("cells_r", "", unit.None, 24.0, 16, 4096, "cells across the flow, a multiple of 4"),
			number("cfl", "", unit.None, 20.0, 0.1, 100, "Courant number"),
			number("max_iterations", "", unit.None, 4000.0, 1, 1e7, "iterations on the finest mesh"),
			number("orders", "", unit.None, 4.0, 1, 14, "orders of magnitude that the residual must fall"),
			number("deviation_offset", "deg", unit.None, 0.0, -20, 20, "added to the deviation angle (calibration)"),
			number("loss_change", "", unit.None, 0.0, -1, 10, "relative change of every loss coefficient (calibration)"),
		},
		Files: []plugin.File{
			{
				Pattern: throughflow.HistoryFile, Format: "regexp", Doc: "history, a line every 20 iterations",
				Patterns: []plugin.Pattern{{Regexp: `^(?P<iteration>\d+) (?P<residual>\S+) (?P<W_in>\S+) (?P<W_out>\S+) (?P<PR>\S+) (?P<eff>\S+) \S+ (?P<mesh>\d+)$`}},
			},
			{Pattern: throughflow.GridFile, Format: "plot3d", Doc: "grid in the meridional plane"},
			{Pattern: throughflow.FlowFile, Format: "plot3d", Doc: "flow on that grid"},
			{Pattern: throughflow.SolutionFile, Format: "solution", Doc: "state from which a run can go on"},
		},
	}
}

// Run implements plugin.Solver.
func (throughflowSolver) Run(ctx context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	geometry, err := blade.Parse([]byte(req.Texts[zoom.InGeometry]))
	if err != nil {
		return plugin.Result{}, err
	}
	n := req.Numbers
	solver, err := throughflow.New(throughflow.Case{
		Geometry: geometry,
		Gas:      throughflow.Gas{Gamma: n[zoom.InGamma], R: n[zoom.InR]},
		Inlet: throughflow.Inlet{
			Span: req.Arrays[zoom.InSpan], Pt: req.Arrays[zoom.InPt], Tt: req.Arrays[zoom.InTt], Alpha: req.Arrays[zoom.InAlpha],
		},
		Exit: throughflow.Exit{K: n[zoom.InThrottle]},
		N:    n[zoom.InSpeed],
		Settings: throughflow.Settings{
			NZ: int(n["cells_z"]), NR: int(n["cells_r"]), CFL: n["cfl"], MaxIterations: int(n["max_iterations"]), Tolerance: n["orders"],
			Calibration: throughflow.Calibration{Deviation: n["deviation_offset"] * math.Pi / 180, Loss: n["loss_change"]},
		},
	})
	if err != nil {
		return plugin.Result{}, err
	}
	r, err := solver.RunIn(ctx, req.Folder, func(p throughflow.Progress) throughflow.Command {
		emit(event.Event{Kind: event.Iteration, Values: map[string]float64{
			"iteration": float64(p.Iteration), "mesh": float64(p.Mesh), "residual": p.Residual, "W_in": p.WIn, "W_out": p.WOut, "PR": p.PR, "eff": p.Eff,
		}})
		if ctx.Err() != nil {
			return throughflow.Stop
		}
		return throughflow.Continue
	})
	if err != nil && ctx.Err() == nil {
		return plugin.Result{}, err
	}
	return throughflowResult(r), nil
}

var throughflowClass = map[throughflow.Status]event.Class{
	throughflow.Converged: event.Converged, throughflow.NotConverged: event.NotConverged, throughflow.Diverged: event.Diverged,
	throughflow.Stalled: event.Stalled, throughflow.Stopped: event.Killed,
}

func throughflowResult(r *throughflow.Result) plugin.Result {
	choked := 0.0
	if r.Choked {
		choked = 1
	}
	return plugin.Result{
		Class: throughflowClass[r.Status], Message: r.Message,
		Numbers: map[string]float64{
			zoom.OutW: r.W, zoom.OutPR: r.PR, zoom.OutTR: r.TR, zoom.OutEff: r.Eff, zoom.OutMass: r.MassError, zoom.OutEnergy: r.EnergyError,
			zoom.OutChoked: choked, "iterations": float64(r.Iterations), "residual": r.Residual,
		},
		Arrays: map[string][]float64{
			zoom.OutExitR: r.Exit.R, zoom.OutExitW: r.Exit.DW, zoom.OutExitPt: r.Exit.PtCell, zoom.OutExitTt: r.Exit.TtCell,
			"exit_Ps": r.Exit.Ps, "exit_Vz": r.Exit.Vz, "exit_Vtheta": r.Exit.Vtheta,
		},
	}
}
