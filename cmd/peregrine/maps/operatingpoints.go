package maps

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// operatingPoints reads the operating points of a component on a map from the JSON of
// `run --json`. It looks up the map coordinates of each case on the map, so that the points
// are in the map's units. A zoomed component has two maps; the drawn map can be either.
func operatingPoints(m *perfmap.Map, path, component string) ([]plot.Mark, error) {
	text, err := intake.Read(path, intake.Limit{What: "a file of results", Bytes: 1 << 30})
	if err != nil {
		return nil, err
	}
	var results result.Results
	if err := json.Unmarshal(text, &results); err != nil {
		return nil, fmt.Errorf("%s: not the results of `peregrine run --json`: %w", path, err)
	}
	var points []plot.Mark
	for _, c := range results.Cases {
		if !c.Converged {
			continue
		}
		if _, ok := c.Components[component]; !ok {
			return nil, fmt.Errorf("%s: case %s has no component %q%s", path, c.Name, component,
				spell.Hint(component, slices.Sorted(maps.Keys(c.Components))))
		}
		at, ok := onMap(m, c.Components, component)
		if !ok && c.Unzoomed != nil {
			at, ok = onMap(m, c.Unzoomed.Components, component)
		}
		if !ok {
			other := ""
			if on := c.Components[component].Map; on != nil {
				other = on.Name
			}
			return nil, fmt.Errorf("%s: case %s: %s does not work on the map %q (Nc %.4g to %.4g), but on %q", path,
				c.Name, component, m.Name, m.Nc[0], m.Nc[len(m.Nc)-1], other)
		}
		points = append(points, plotPoint(m, c.Name, at))
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%s: no case has converged", path)
	}
	return points, nil
}

// onMap returns a component's place on its map if that can be this map: name, third axis and
// range of speeds must agree.
func onMap(m *perfmap.Map, all map[string]result.Component, component string) (perfmap.Point, bool) {
	on := all[component].Map
	if on == nil || on.Name != m.Name || on.XName != m.XName || !(on.Nc > m.Nc[0]/2 && on.Nc < 2*m.Nc[len(m.Nc)-1]) {
		return perfmap.Point{}, false
	}
	return perfmap.Point{Alpha: m.Design.Alpha, Nc: on.Nc, X: on.X}, numeric.Finite(on.X)
}

func plotPoint(m *perfmap.Map, name string, at perfmap.Point) plot.Mark {
	flow, _ := m.Value(m.FlowTable(), at)
	p := plot.Mark{Name: name, Wc: flow.V, PR: at.X}
	if m.Kind == perfmap.Compressor {
		pr, _ := m.Value("PR", at)
		p.PR = pr.V
		return p
	}
	eff, _ := m.Value("eff", at)
	p.Eff = eff.V
	return p
}
