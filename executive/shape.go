package executive

import "github.com/peregrine-sim/peregrine/components"

// shape is an environment with every name that a result of this engine can have.
func (m *Model) shape() map[string]any {
	r := m.result("", "")
	env := r.environment()
	for _, p := range m.parts {
		c, _ := env[p.name].(map[string]any)
		if c == nil {
			continue
		}
		for _, o := range p.decl.Outputs {
			c[o.Name] = 0.0
		}
		for _, o := range p.decl.Outlets {
			c[o.Port] = Station{A: 1}.fields()
		}
		for _, in := range p.decl.Inlets {
			c[in.Port] = Station{A: 1}.fields()
		}
		if _, ok := p.comp.(components.MapUser); ok {
			c["map"] = map[string]any{"name": "", "Nc": 0.0, "Rline": 0.0, "beta": 0.0, "PR": 0.0, "extrapolated": false}
		}
	}
	perf := env["performance"].(map[string]any)
	for _, f := range performanceFields {
		perf[f] = 0.0
	}
	return env
}
