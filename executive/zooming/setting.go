package zooming

// The setting of vanes or blades, alpha, of a zoomed component. A file of blades has one setting, that of its angles, so that runs say
// nothing of others, and what they make has no third coordinate. A setting that something changes would be without effect.

import (
	"errors"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
)

// checkSetting reports what sets or varies the setting of a zoomed component's vanes or blades. Sweeps check themselves: they
// may be made without the zoom.
func checkSetting(cfg *config.Engine, z *config.Zoom) error {
	path := z.Component + ".alpha"
	var errs []error
	report := func(pos document.Pos, at ...string) {
		errs = append(errs, &document.Problem{File: cfg.File, Pos: pos, Path: strings.Join(at, "."), Text: path,
			Message: z.Component + " is zoomed, and its runs have the one setting of its blades' angles; leave the setting out, or the zoom"})
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
