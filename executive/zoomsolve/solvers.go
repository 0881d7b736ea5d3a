package zoomsolve

// Zooms are checked against the descriptions of their solvers; a user's solver is started for its description.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Check checks an engine's zooms against the descriptions of their solvers. It starts a
// user's solver to get its description.
func Check(ctx context.Context, cfg *config.Engine, solvers *solver.Registry) error {
	var errs []error
	for i := range cfg.Zooms {
		errs = append(errs, CheckSolver(ctx, cfg, &cfg.Zooms[i], solvers))
	}
	if err := errors.Join(errs...); err != nil || len(cfg.Zooms) == 0 {
		return err
	}
	return checkBlades(ctx, cfg)
}

// checkBlades reports blades that do not belong to the design point. It solves the design; if the design does not
// converge, a run reports that.
func checkBlades(ctx context.Context, cfg *config.Engine) error {
	m, err := graph.New(cfg)
	if err != nil {
		return nil // reported by Check of the engine
	}
	s, err := session.New(ctx, m)
	if err != nil {
		return ctx.Err()
	}
	var errs []error
	for i := range cfg.Zooms {
		z := &cfg.Zooms[i]
		text, g, err := geometryOf(cfg, z)
		if err == nil {
			_, err = machineOf(cfg, z, s.Model.Index[z.Component], text, g)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// StartLimit is the time in which a solver of a zoom must answer after its start; 0: the default.
func StartLimit(z *config.Zoom) time.Duration {
	return time.Duration(z.Limits.Start * float64(time.Second))
}

// Solver is the solver of a zoom.
type Solver struct {
	Program     launch.Program
	Description plugin.Description
	Licence     *config.Licence // that each run needs; nil: none
}

// SolverOf returns the solver of a zoom, which it checks.
func SolverOf(ctx context.Context, cfg *config.Engine, z *config.Zoom, solvers *solver.Registry) (of Solver,
	err error) {
	if err := CheckSolver(ctx, cfg, z, solvers); err != nil {
		return of, err
	}
	if of.Program, err = solvers.Program(ctx, z.Solver); err != nil {
		return of, err
	}
	if of.Description, err = solvers.DescribeWithin(ctx, z.Solver, StartLimit(z)); err != nil {
		return of, err
	}
	of.Licence, err = solvers.Licence(z.Solver)
	return of, err
}

// CheckSolver checks a zoom, and its priors, against the descriptions of their solvers.
func CheckSolver(ctx context.Context, cfg *config.Engine, z *config.Zoom, solvers *solver.Registry) error {
	d, err := solvers.DescribeWithin(ctx, z.Solver, StartLimit(z))
	if err != nil {
		return fmt.Errorf("%s:%v: zoom of %s: %w", cfg.File, z.Pos, z.Component, err)
	}
	return errors.Join(append([]error{checkZoom(cfg, z, &d)}, checkPriors(ctx, cfg, z, &d, solvers)...)...)
}

// checkPriors reports invalid priors: a coarse mesh of a solver without coarse meshes, and the problems of the other
// priors that CheckSolver finds.
func checkPriors(ctx context.Context, cfg *config.Engine, z *config.Zoom, described *plugin.Description,
	solvers *solver.Registry) (errs []error) {
	for _, name := range z.Priors {
		p, err := priorOf(cfg, z, name, described)
		if err == nil && cfg.Component(z.Component).Type.Zoomable {
			err = CheckSolver(ctx, cfg, &p, solvers)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// The priors of a zoom: the same component by cheaper runs, each a zoom of its own without the engine.

// priorOf is the zoom of a prior: by its solver, with the settings of the inlet alone, or by the zoom's on its coarse
// mesh. Described is the description of the zoom's solver.
func priorOf(cfg *config.Engine, z *config.Zoom, name document.Word,
	described *plugin.Description) (config.Zoom, error) {
	p := *z
	p.Priors, p.Settings = nil, config.Values{}
	if name.Text != config.PriorCoarse {
		p.Solver, p.Pos, p.Failures = name.Text, name.Pos, failuresOfOther(z.Failures)
		for key, v := range z.Settings {
			if machine.IsBoundarySetting(key) {
				p.Settings[key] = v
			}
		}
		return p, nil
	}
	given := map[string]float64{}
	for key, v := range z.Settings {
		if isNumber(v) {
			given[key] = v.Num
		}
	}
	coarse, err := described.Coarse(given)
	if err != nil {
		return p, &document.Problem{File: cfg.File, Pos: name.Pos, Path: "zoom." + z.Component + ".prior",
			Text: name.Text, Message: err.Error()}
	}
	maps.Copy(p.Settings, z.Settings)
	for key, v := range coarse {
		p.Settings[key] = config.Value{Text: fmt.Sprintf("%g", v), Num: v, Set: true, Pos: name.Pos}
	}
	return p, nil
}
