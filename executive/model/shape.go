package model

import (
	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Shape is an environment with every name that a result of this engine can have.
func (m *Model) Shape() map[string]any {
	r := m.result("", "")
	env := r.Environment()
	for _, p := range m.Parts {
		c, _ := env[p.Name].(map[string]any)
		if c == nil {
			continue
		}
		for _, o := range p.Declaration.Outputs {
			c[o.Name] = 0.0
		}
		for _, o := range p.Declaration.Outlets {
			c[o.Port] = result.Station{A: 1}.Fields()
		}
		for _, in := range p.Declaration.Inlets {
			c[in.Port] = result.Station{A: 1}.Fields()
		}
		if _, ok := p.Component.(components.MapUser); ok {
			c["map"] = map[string]any{"name": "", "Nc": 0.0, "Rline": 0.0, "beta": 0.0, "PR": 0.0, "extrapolated": false}
		}
	}
	perf := env["performance"].(map[string]any)
	for _, f := range performanceFields {
		perf[f] = 0.0
	}
	return env
}
