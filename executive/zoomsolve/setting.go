package zoomsolve

// The setting of vanes or blades, alpha, of a zoomed component. Rows of its geometry may turn with it, and it is then a
// third coordinate of the runs. If no row turns, or the solver or the kind of zoom supports only one setting, a change
// of the setting would have no effect, and is an error.

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// fixed returns the reason why the runs of a zoom have only one setting of vanes and blades, with a remedy; empty: any
// setting. Blades is nil without a geometry.
func fixed(z *config.Zoom, blades *blade.Geometry, solver *plugin.Description) string {
	switch {
	case blades == nil:
		return "the zoom has no geometry with rows that turn"
	case !blades.Settable():
		return "no row of its geometry turns, as `setting: 1` at a row would have it do"
	case z.To == nil || z.Span == "whole":
		return "runs on speed lines are made at one setting; those of `to: 0.1 %` are made where the engine works"
	case !machine.TakesSetting(solver):
		return fmt.Sprintf("the solver %s has no input %s, a scalar", solver.Name, machine.InSetting)
	}
	return ""
}

// checkSetting reports each place that sets or varies the setting of a zoomed component's vanes or blades if its runs
// have only one setting. It also reports settings that its blades cannot take. Sweeps have their own check, because
// they may be made without the zoom.
func checkSetting(cfg *config.Engine, z *config.Zoom, blades *blade.Geometry, solver *plugin.Description) error {
	why := fixed(z, blades, solver)
	mapped := cfg.Component(z.Component).Values["map"].Set // whose design point may have another alpha than 0
	var errs []error
	for _, m := range movesOf(cfg, z.Component+".alpha") {
		p := &document.Problem{File: cfg.File, Pos: m.pos, Path: m.at, Text: z.Component + ".alpha"}
		if why != "" {
			p.Message = z.Component + " is zoomed, and its runs have one setting of its blades: " + why +
				"; or leave the setting out, or the zoom"
			errs = append(errs, p)
			continue
		}
		for _, alpha := range m.to {
			if _, err := blades.Turned(alpha * math.Pi / 180); err != nil && !mapped {
				p.Message = z.Component + " is zoomed, and its blades cannot take this position: " + err.Error()
				errs = append(errs, p)
				break
			}
		}
	}
	return errors.Join(errs...)
}

// move is a place of an engine file that sets or varies a parameter.
type move struct {
	pos document.Pos
	at  string
	to  []float64 // its values at that place, if the file states them
}

// movesOf lists the places that set or vary a parameter, but for sweeps.
func movesOf(cfg *config.Engine, path string) (list []move) {
	component, parameter, _ := strings.Cut(path, ".")
	if v := cfg.Component(component).Values[parameter]; v.Set {
		list = append(list, move{v.Pos, "components." + component, []float64{v.Num}})
	}
	balances := func(all []config.Balance, at string) {
		for _, b := range all {
			if b.Vary == path {
				list = append(list, move{pos: b.Pos, at: at})
			}
		}
	}
	balances(cfg.Design, "design")
	for _, c := range cfg.Cases {
		at := "cases." + c.Name
		for _, s := range c.Set {
			if s.Path == path {
				list = append(list, move{s.Pos, at + ".set", []float64{s.Value.Num}})
			}
		}
		balances(c.Solve, at+".solve")
		if c.Transient == nil {
			continue
		}
		for _, s := range c.Transient.Schedules {
			switch path {
			case s.Path:
				list = append(list, move{s.Pos, at + ".schedule", s.Values})
			case s.Vary:
				list = append(list, move{pos: s.Pos, at: at + ".schedule"})
			}
		}
	}
	for _, c := range cfg.Controls {
		if c.Moves.Path == path || c.Moves.Vary == path {
			list = append(list, move{pos: c.Moves.Pos, at: "controls." + c.Name})
		}
	}
	return list
}
