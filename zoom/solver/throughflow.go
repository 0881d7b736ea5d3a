package solver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/throughflow"
)

var throughflowEntry = builtin{
	name: "throughflow", make: func() plugin.Solver { return &Throughflow{} },
	files: []string{"marching.go", "throughflow.go"}, packages: []string{"zoom/solver/throughflow"},
	version: "2", sources: "78f0bd6a6f3639a3",
}

// Throughflow serves the built-in axisymmetric solver as a plugin.
type Throughflow struct{}

// Describe implements plugin.Solver.
func (*Throughflow) Describe() plugin.Description {
	return plugin.Description{
		Name: "throughflow", Version: "2", Fidelity: "axisymmetric Euler with blade forces",
		Inputs:  append(bladeRowInputs(), exitFlowInput()),
		Outputs: append(bladeRowOutputs(), exitFlowOutput()),
		Settings: []plugin.Quantity{
			number("cells_z", "", unit.None, 0.0, 0, 4096,
				"cells along the flow, a multiple of 4, at least 32 and 32 for each blade row; 0: 80, or that least "+
					"number if it is more"),
			number("cells_r", "", unit.None, 24.0, 16, 4096, "cells across the flow, a multiple of 4"),
			coarse(number("refine", "", unit.None, 1.0, 0.25, 8,
				"cells each way over cells_r and cells_z; below 1 with fewer meshes of the start where there is no "+
					"room for them")),
			number("cfl", "", unit.None, 20.0, 0.1, 100, "Courant number"),
			number("max_iterations", "", unit.None, 4000.0, 1, 1e7, "iterations on the finest mesh"),
			number("orders", "", unit.None, 4.0, 1, 14, "orders of magnitude that the residual must fall"),
			number("deviation_offset", "deg", unit.None, 0.0, -20, 20, "added to the deviation angle (calibration)"),
			number("loss_change", "", unit.None, 0.0, -1, 10,
				"relative change of every loss coefficient (calibration)"),
		},
		Controls: controls, Pauses: true, Checkpoints: true, Steers: true, Sensors: marchingSensors, WholeState: true,
		Reusable: true,
		Files:    marchingFiles("grid in the meridional plane"),
	}
}

// meshProblem reports cells that do not suit a geometry.
func (*Throughflow) meshProblem(g *blade.Geometry, name string, cells float64) string {
	var s throughflow.Settings
	switch name {
	case "cells_z":
		s.NZ = int(cells)
	case "cells_r":
		s.NR = int(cells)
	}
	var bad *march.InputError
	if errors.As(s.CheckMesh(len(g.Rows)), &bad) {
		return fmt.Sprintf("%v, for %d blade rows", bad.Err, len(g.Rows))
	}
	return ""
}

// rowsProblem reports rows that the solver has no losses for.
func (*Throughflow) rowsProblem(g *blade.Geometry) error {
	if err := throughflow.CheckRows(g); err != nil {
		return march.Named("throughflow", err)
	}
	return nil
}

// Run implements plugin.Solver.
func (t *Throughflow) Run(ctx context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	geometry, err := bladeRows(req)
	if err != nil {
		return noRows(err)
	}
	return t.solve(ctx, geometry, req, emit, 0)
}

// solve makes a run, from the solutions that the request names. It made so many iterations before, from others.
func (t *Throughflow) solve(ctx context.Context, geometry *blade.Geometry, req plugin.Request, emit func(event.Event),
	before int64) (plugin.Result, error) {
	n := req.Numbers
	solver, err := throughflow.New(throughflow.Case{
		Geometry: geometry,
		Gas:      march.Gas{Gamma: n[machine.InGamma], R: n[machine.InR]},
		Inlet:    bladeRowInlet(req),
		Exit:     bladeRowExit(req),
		N:        n[machine.InSpeed],
		Settings: throughflow.Settings{
			NZ: int(n["cells_z"]), NR: int(n["cells_r"]), CFL: n["cfl"], MaxIterations: int(n["max_iterations"]),
			Tolerance: n["orders"],
			Calibration: throughflow.Calibration{Deviation: n["deviation_offset"] * math.Pi / 180,
				Loss: n["loss_change"]},
		}.Refined(len(geometry.Rows), n["refine"]),
	})
	if err != nil {
		return plugin.Result{}, err
	}
	on, err := resume(req, throughflow.LoadSolution, solver)
	if err == nil && !on {
		_, err = jump(req, throughflow.LoadSolution, solver)
	}
	if err != nil {
		return plugin.Result{}, err
	}
	solver.Steer(req.Steer, before, describe(t.Describe()))
	solver.Steering().Observe(req.Sensors)
	r, err := solver.RunIn(ctx, req.Folder, observe(emit))
	if err != nil && !errors.Is(err, ctx.Err()) {
		return plugin.Result{}, err
	}
	if failedJump(solver.Jumped(), &r.Result, emit) {
		return t.solve(ctx, geometry, alone(req), emit, solver.Steering().Iterations())
	}
	return exitFlowResult(req, &r.Result), nil
}
