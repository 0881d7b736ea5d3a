package zoomsolve

// Checks of a zoom before any case is solved.

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	builtin "github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// checkZoom reports the errors of a zoom that can be found before any case is solved: a type of component that cannot
// be zoomed; a geometry that is missing, unreadable or not for such a component; a solver that lacks inputs or outputs
// for the zoom, or that does not compute such blades; settings, of the zoom or after a failure, that the solver does
// not take.
func checkZoom(cfg *config.Engine, z *config.Zoom, solver *plugin.Description) error {
	_, blades, err := geometryOf(cfg, z)
	if !cfg.Component(z.Component).Type.Zoomable {
		return err
	}
	if err == nil {
		err = needsGeometry(cfg, z, solver)
	}
	problems := []error{err, checkMethod(cfg, z), checkSetting(cfg, z, blades, solver), checkFailures(cfg, z, solver)}
	for _, reason := range machine.Unfit(cfg.Component(z.Component).Type.Name, z.Geometry != "" || err != nil, solver) {
		problems = append(problems, fmt.Errorf("%s:%v: zoom of %s: %s cannot serve a zoom: %s", cfg.File, z.Pos,
			z.Component, solver.Name, reason))
	}
	if blades != nil {
		if err := builtin.RowsProblem(z.Solver, blades); err != nil {
			problems = append(problems, fmt.Errorf("%s:%v: zoom of %s: %w", cfg.File, z.Pos, z.Component, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(z.Settings)) {
		v := z.Settings[name]
		message := ""
		if machine.IsBoundarySetting(name) {
			if err := new(machine.Boundary).Set(name, v.Text); err != nil {
				message = err.Error()
			}
		} else {
			if message = unknownSetting(solver, name); message == "" {
				message = solver.SettingProblem(name, v.Text, v.Num, isNumber(v))
			}
			if message == "" && blades != nil {
				message = builtin.SettingProblem(z.Solver, blades, name, v.Num)
			}
			if message == "" {
				message = builtin.TextProblem(z.Solver, name, v.Text)
			}
		}
		if message != "" {
			p := &document.Problem{File: cfg.File, Pos: v.Pos, Path: "zoom." + z.Component + ".settings." + name,
				Message: message}
			if slices.ContainsFunc(solver.Settings, func(q plugin.Quantity) bool { return q.Name == name }) {
				p.Text = v.Text // else the name is at fault
			}
			problems = append(problems, p)
		}
	}
	return errors.Join(problems...)
}

// unknownSetting reports a name that is a setting of neither the solver nor its inlet, with the nearest of both.
func unknownSetting(solver *plugin.Description, name string) string {
	var known []string
	for _, q := range solver.Settings {
		known = append(known, q.Name)
	}
	if slices.Contains(known, name) {
		return ""
	}
	for _, s := range machine.BoundarySettings {
		known = append(known, s.Name)
	}
	return fmt.Sprintf("no setting of %s or of its inlet%s", solver.Name, spell.Hint(name, known))
}

// isNumber reports whether a setting is a number; otherwise it is a text.
func isNumber(v config.Value) bool {
	_, err := unit.Parse(v.Text, unit.None)
	return err == nil
}

// zoomable lists the types of component that can be zoomed.
func zoomable() []string {
	var names []string
	for _, t := range components.Catalogue().Types {
		if t.Zoomable {
			names = append(names, t.Name)
		}
	}
	return names
}

// checkMethod reports a grid of runs for a kind of component that is only zoomed in rounds.
func checkMethod(cfg *config.Engine, z *config.Zoom) error {
	kind := cfg.Component(z.Component).Type
	switch {
	case machine.Gridded(kind.Name):
		return nil
	case z.To != nil && z.Ends.Both:
		return fmt.Errorf("%s:%v: zoom of %s: ends: those of speed lines are sought of fans and compressors alone; "+
			"leave it out", cfg.File, z.Pos, z.Component)
	case z.To != nil && z.Span != "whole" && z.Method != string(zoom.MethodMap) && z.Method != "":
		return fmt.Errorf("%s:%v: zoom of %s: method: %s corrects the map of a fan or compressor; %s is zoomed by "+
			"method: map", cfg.File, z.Pos, z.Component, z.Method, kind.Article())
	case z.To != nil && z.Span != "whole":
		return nil
	}
	return fmt.Errorf("%s:%v: zoom of %s: %s is zoomed to an error alone, as in to: 0.1 %%; speed lines, by runs or "+
		"span: whole, are those of fans and compressors",
		cfg.File, z.Pos, z.Component, kind.Article())
}

// geometryOf reads the geometry of a zoomed component, and its blades where it has some.
func geometryOf(cfg *config.Engine, z *config.Zoom) (string, *blade.Geometry, error) {
	if kind := cfg.Component(z.Component).Type; !kind.Zoomable {
		return "", nil, fmt.Errorf("%s:%v: %s is %s, which cannot be zoomed; %s can", cfg.File, z.Pos, z.Component,
			kind.Article(), spell.List(zoomable(), "or"))
	}
	if z.Geometry == "" { // see needsGeometry
		return "", nil, nil
	}
	data, err := intake.Read(cfg.Path(z.Geometry), blade.Limit)
	if err != nil {
		return "", nil, fmt.Errorf("%s:%v: zoom of %s: %w", cfg.File, z.Pos, z.Component, err)
	}
	if !machine.Bladed(cfg.Component(z.Component).Type.Name) {
		return string(data), nil, nil
	}
	g, err := blade.ParseFile(cfg.Path(z.Geometry), data)
	if err != nil {
		return "", nil, fmt.Errorf("%s:%v: zoom of %s: its geometry is wrong:\n%w", cfg.File, z.Pos, z.Component, err)
	}
	if err := machine.Stands(cfg.Component(z.Component).Type.Name, g); err != nil {
		return "", nil, fmt.Errorf("%s:%v: zoom of %s: %w", cfg.File, z.Pos, z.Component, err)
	}
	return string(data), g, nil
}

// needsGeometry reports a zoom of a component with blades without a geometry, if its solver requires the geometry, or
// if settings of the inlet refer to the annulus.
func needsGeometry(cfg *config.Engine, z *config.Zoom, solver *plugin.Description) error {
	if z.Geometry != "" || !machine.Bladed(cfg.Component(z.Component).Type.Name) {
		return nil
	}
	why := ""
	for _, name := range slices.Sorted(maps.Keys(z.Settings)) {
		if machine.IsBoundarySetting(name) && name != machine.InletRings {
			why = "the setting " + name + " shapes the flow in its annulus"
		}
	}
	if slices.ContainsFunc(solver.Inputs, func(q plugin.Quantity) bool {
		return q.Name == machine.InGeometry && q.Required
	}) {
		why = "the solver needs the blades"
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%s:%v: zoom of %s: no geometry is given; %s", cfg.File, z.Pos, z.Component, why)
}

// CheckGoals reports results in a zoom's `to` that the engine does not have.
func CheckGoals(m *graph.Model, z *config.Zoom) error {
	var errs []error
	for _, g := range z.To {
		if g.Path == "" {
			continue
		}
		if _, err := m.Read(g.Path); err != nil {
			errs = append(errs, &document.Problem{File: m.Engine.File, Pos: g.Pos, Path: "zoom." + z.Component + ".to",
				Text: g.Path, Message: err.Error()})
		}
	}
	return errors.Join(errs...)
}
