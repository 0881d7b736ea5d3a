package zoomsolve

// Changes after failed runs are checked against the solver before the first run: settings that it does not take, and a
// start from the solution of another run if it supports none.

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// checkFailures reports steps after failures that the solver cannot take.
func checkFailures(cfg *config.Engine, z *config.Zoom, solver *plugin.Description) error {
	var errs []error
	for _, class := range slices.Sorted(maps.Keys(z.Failures)) {
		path := "zoom." + z.Component + ".failures." + class
		for _, s := range z.Failures[class] {
			if s.Nearest && !run.TakesNeighbour(solver) {
				errs = append(errs, &document.Problem{File: cfg.File, Pos: s.Pos, Path: path, Text: "from: nearest",
					Message: fmt.Sprintf("%s does not start from the solution of another run: it has no input %s",
						solver.Name, plugin.InNeighbour)})
			}
			for _, c := range s.Change {
				if message := changeProblem(z, &c, solver); message != "" {
					errs = append(errs,
						&document.Problem{File: cfg.File, Pos: c.Value.Pos, Path: path + ".change." + c.Name,
							Text: c.Value.Text, Message: message})
				}
			}
		}
	}
	return errors.Join(errs...)
}

// changeProblem reports a changed setting that the solver does not take; empty: the solver takes it.
func changeProblem(z *config.Zoom, c *config.ChangeSetting, solver *plugin.Description) string {
	x, number := c.Value.Num, c.Number
	if c.Factor > 0 {
		was, known := solver.WithDefaults(plugin.Request{}).Numbers[c.Name]
		if v, given := z.Settings[c.Name]; given && isNumber(v) {
			was, known = v.Num, true
		}
		x, number = c.Factor*was, true
		if problem := solver.SettingProblem(c.Name, "", x, true); problem != "" && known {
			return fmt.Sprintf("%g times %g: %s", c.Factor, was, problem)
		} else if problem == "" && !known {
			return "a factor of a setting that has no value, as it has no default and settings has none"
		}
	}
	return solver.SettingProblem(c.Name, c.Value.Text, x, number)
}

// failuresOfOther returns the steps after failures for a solver other than that of the zoom. It drops the steps with
// settings, which are for one solver only.
func failuresOfOther(of map[string][]config.FailureStep) map[string][]config.FailureStep {
	kept := maps.Clone(of)
	maps.DeleteFunc(kept, func(_ string, steps []config.FailureStep) bool {
		return slices.ContainsFunc(steps, func(s config.FailureStep) bool { return s.Change != nil || s.Nearest })
	})
	return kept
}
