package solver

import (
	"context"
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/throughflow"
)

var bladeRowEntry = builtin{
	name: "bladerow", make: func() plugin.Solver { return &BladeRow{} },
	files:    []string{"bladerow.go", "marching.go"},
	packages: []string{"zoom/solver/bladerow", "zoom/solver/throughflow"},
	version:  "2", sources: "bce6c1f1ec7364aa",
}

// BladeRow serves the built-in three-dimensional solver as a plugin.
type BladeRow struct{}

// Describe implements plugin.Solver.
func (*BladeRow) Describe() plugin.Description {
	return plugin.Description{
		Name: "bladerow", Version: "2", Fidelity: "three-dimensional Reynolds-averaged Navier-Stokes, one passage",
		Inputs: bladeRowInputs(),
		Outputs: append(bladeRowOutputs(),
			output("power", "W", unit.Power, plugin.Scalar, "torque of the walls that turn times speed"),
			output("PR_area", "", unit.None, plugin.Scalar, "total pressure ratio of area averages"),
			output("PR_work", "", unit.None, plugin.Scalar,
				"total pressure ratio of work averages (Cumpsty and Horlock)"),
			output("eff_work", "", unit.None, plugin.Scalar, "adiabatic efficiency of work averages"),
		),
		Settings: []plugin.Quantity{
			coarse(number("refine", "", unit.None, 1.0, 0.2, 8,
				"cells each way over those of the default mesh, 80 x 24 x 24")),
			number("cfl", "", unit.None, 50.0, 0.1, 1000, "Courant number"),
			number("max_iterations", "", unit.None, 3000.0, 1, 1e7, "iterations on the finest mesh"),
			number("orders", "", unit.None, 2.0, 1, 14,
				"orders of magnitude that the residual must fall, besides the flow's being steady to 1e-4; limiters "+
					"may hold it up below"),
			{
				Name: "model", Shape: plugin.Text,
				Doc: "turbulence: spalart-helicity, Spalart and Allmaras's with the helicity's part (default), " +
					"spalart, without it, or mixing-length, Prandtl's; or euler, no viscosity",
			},
			{
				Name: "start", Shape: plugin.Text,
				Doc: "first guess: throughflow, an axisymmetric solution of the same point (default), or rest",
			},
			number("workers", "", unit.None, 1.0, 1, 1024, "goroutines of a run; zooming makes several runs at a time"),
		},
		Controls: controls, Pauses: true, Checkpoints: true, Steers: true, Sensors: marchingSensors, WholeState: true,
		Reusable: true,
		Files: append(marchingFiles("grid of one passage"),
			history.File{
				Pattern: field.PassageFile, Format: "document",
				Doc: "place of the grid's nodes, for `peregrine blade flow`",
			},
			history.File{
				Pattern: bladerow.InletFile, Format: "table",
				Doc: "flow over the span at the inlet, averaged over the pitch",
			},
			history.File{Pattern: bladerow.ExitFile, Format: "table", Doc: "flow over the span at the exit"},
			history.File{
				Pattern: bladerow.SurfaceFile, Format: "table", Doc: "pressure and isentropic Mach number on the blade",
			},
			history.File{
				Pattern: bladerow.AveragesFile, Format: "document",
				Doc: "mass, area, work and entropy averages of inlet and exit",
			},
		),
	}
}

// solidRows returns the blade rows of a geometry as solid bodies. Rotating rows have the
// speed n, rpm.
func solidRows(g *blade.Geometry, n float64) (rows []bladerow.Row, err error) {
	for _, r := range g.Rows {
		body, err := g.Solid(r, blade.SolidSections, blade.SolidPoints)
		if err != nil {
			return nil, err
		}
		row := bladerow.Row{Body: body}
		if r.Rotating {
			row.N = n
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("geometry %q has no blade rows", g.Name)
	}
	return rows, nil
}

// start sets the solver's initial flow: a checkpoint, a neighbour's, an axisymmetric solution, or rest.
func (b *BladeRow) start(ctx context.Context, solver *bladerow.Solver, g *blade.Geometry, req plugin.Request,
	emit func(event.Event)) error {
	from := req.Texts["start"]
	if from != "" && from != "throughflow" && from != "rest" {
		return fmt.Errorf("start is %q; want throughflow or rest", from)
	}
	if on, err := resume(req, bladerow.LoadSolution, solver); on || err != nil {
		return err
	}
	if on, err := jump(req, bladerow.LoadSolution, solver); on || err != nil || from == "rest" {
		return err
	}
	flow, err := axisymmetric(ctx, g, req)
	if err == nil {
		err = solver.StartFromMeridional(flow)
	}
	if ctx.Err() != nil { // no answer from another initial flow than the request alone gives
		return ctx.Err()
	}
	if err != nil { // the run can do without a good initial flow
		emit(event.Event{
			Kind: event.Message, Text: fmt.Sprintf("starts from rest, as no axisymmetric flow was found: %v", err),
		})
	}
	return nil
}

// axisymmetric computes a request's point by throughflow, on a coarse mesh.
func axisymmetric(ctx context.Context, g *blade.Geometry, req plugin.Request) (*throughflow.Field, error) {
	s, err := throughflow.New(throughflow.Case{
		Geometry: g,
		Gas:      march.Gas{Gamma: req.Numbers[machine.InGamma], R: req.Numbers[machine.InR]},
		Inlet:    bladeRowInlet(req),
		Exit:     march.Exit{K: req.Numbers[machine.InThrottle]},
		N:        req.Numbers[machine.InSpeed],
		Settings: throughflow.Settings{NZ: 32 * (1 + len(g.Rows)), NR: 16},
	})
	if err != nil {
		return nil, err
	}
	r, err := s.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	if r.Status != march.Converged {
		return nil, fmt.Errorf("%s: %s", r.Status, r.Message)
	}
	return s.Field(), nil
}

// Run implements plugin.Solver.
func (b *BladeRow) Run(ctx context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	geometry, err := bladeRows(req)
	if err != nil {
		return noRows(err)
	}
	return b.solve(ctx, geometry, req, emit, 0)
}

// solve makes a run, from the solutions that the request names. It made so many iterations before, from others.
func (b *BladeRow) solve(ctx context.Context, geometry *blade.Geometry, req plugin.Request, emit func(event.Event),
	before int64) (plugin.Result, error) {
	n := req.Numbers
	rows, err := solidRows(geometry, n[machine.InSpeed])
	if err != nil {
		return plugin.Result{}, err
	}
	mesh, levels := mesh.Mesh{}.Refined(n["refine"])
	solver, err := bladerow.New(bladerow.Case{
		Body:   rows[0].Body,
		N:      rows[0].N,
		Behind: rows[1:],
		Gas:    march.Gas{Gamma: n[machine.InGamma], R: n[machine.InR]},
		Inlet:  bladeRowInlet(req),
		Exit:   march.Exit{K: n[machine.InThrottle]},
		Settings: bladerow.Settings{
			Mesh: mesh, Levels: levels, Model: bladerow.Model(req.Texts["model"]), CFL: n["cfl"],
			MaxIterations: int(n["max_iterations"]), Tolerance: n["orders"], Workers: int(n["workers"]),
		},
	})
	if err != nil {
		return plugin.Result{}, err
	}
	if err := b.start(ctx, solver, geometry, req, emit); err != nil {
		return plugin.Result{}, err
	}
	solver.Steer(req.Steer, before, describe(b.Describe()))
	solver.Steering().Observe(req.Sensors)
	r, err := solver.RunIn(ctx, req.Folder, observe(emit))
	if err != nil && !errors.Is(err, ctx.Err()) {
		return plugin.Result{}, err
	}
	if failedJump(solver.Jumped(), r, emit) {
		return b.solve(ctx, geometry, alone(req), emit, solver.Steering().Iterations())
	}
	res := bladeRowResult(r)
	res.Numbers["power"] = r.Power
	if a, err := solver.Averages(r); err == nil { // fails where flow runs backwards through a plane
		res.Numbers["PR_area"], res.Numbers["PR_work"], res.Numbers["eff_work"] = a.Row[average.Area].PR,
			a.Row[average.Work].PR, a.Row[average.Work].Eff
	}
	return res, nil
}
