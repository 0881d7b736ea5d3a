package zoomsolve

// The priors of a zoom: the same component by cheaper runs, each a zoom of its own without the engine.

import (
	"fmt"
	"maps"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

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
