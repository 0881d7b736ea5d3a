package zooming

// The setting of vanes or blades, alpha, of a zoomed component. Rows of its geometry may turn with it, and it is then a third coordinate of
// what the runs make. Where nothing turns, or the solver or the way of zooming knows one setting alone, a setting that something changes would be
// without effect, and is refused.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/components/cfd/blade"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// fixed says why the runs of a zoom have one setting of vanes and blades, and what to do; empty: they have any. Blades is nil where there
// are none.
func fixed(z *config.Zoom, blades *blade.Geometry, solver *plugin.Description) string {
	switch {
	case blades == nil || !blades.Settable():
		return "no row of its geometry turns, as `setting: 1` at a row would have it do"
	case z.To == nil || z.Span == "whole":
		return "runs on speed lines are made at one setting; those of `to: 0.1 %` are made where the engine works"
	case !zoom.TakesSetting(solver):
		return fmt.Sprintf("the solver %s has no input %s, a scalar", solver.Name, zoom.InSetting)
	}
	return ""
}

// checkSetting reports what sets or varies the setting of a zoomed component's vanes or blades, if its runs have one setting. Sweeps check
// themselves: they may be made without the zoom.
func checkSetting(cfg *config.Engine, z *config.Zoom, blades *blade.Geometry, solver *plugin.Description) error {
	why := fixed(z, blades, solver)
	if why == "" {
		return nil
	}
	path := z.Component + ".alpha"
	var errs []error
	report := func(pos document.Pos, at ...string) {
		errs = append(errs, &document.Problem{File: cfg.File, Pos: pos, Path: strings.Join(at, "."), Text: path,
			Message: z.Component + " is zoomed, and its runs have one setting of its blades: " + why + "; or leave the setting out, or the zoom"})
	}
	balances := func(all []config.Balance, at ...string) {
		for _, b := range all {
			if b.Vary == path {
				report(b.Pos, at...)
			}
		}
	}
	if v := cfg.Component(z.Component).Values["alpha"]; v.Set {
		report(v.Pos, "components", z.Component)
	}
	balances(cfg.Design, "design")
	for _, c := range cfg.Cases {
		for _, s := range c.Set {
			if s.Path == path {
				report(s.Pos, "cases", c.Name, "set")
			}
		}
		balances(c.Solve, "cases", c.Name, "solve")
		if c.Transient == nil {
			continue
		}
		for _, s := range c.Transient.Schedules {
			if s.Path == path || s.Vary == path {
				report(s.Pos, "cases", c.Name, "schedule")
			}
		}
	}
	for _, c := range cfg.Controls {
		if c.Moves.Path == path || c.Moves.Vary == path {
			report(c.Moves.Pos, "controls", c.Name)
		}
	}
	return errors.Join(errs...)
}
