package graph

import (
	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// Shape returns a rule environment with every possible name of this engine's results. Rules are compiled against it, so
// that a wrong name is found before the engine is solved.
func (m *Model) Shape() map[string]any {
	env := m.Result("", "").Environment()
	station := map[string]any{}
	for _, f := range flow.Fields {
		station[f.Name] = 0.0
	}
	for _, p := range m.Parts {
		c, _ := env[p.Name].(map[string]any)
		if c == nil {
			continue
		}
		for _, o := range p.Declaration.Outputs {
			c[o.Name] = 0.0
		}
		for _, o := range p.Declaration.Outlets {
			c[o.Port] = station
		}
		for _, in := range p.Declaration.Inlets {
			c[in.Port] = station
		}
		if _, ok := p.Component.(components.MapUser); ok {
			c["map"] = map[string]any{"name": "", "Nc": 0.0, "Rline": 0.0, "beta": 0.0, "PR": 0.0,
				"extrapolated": false}
		}
	}
	performance := map[string]any{}
	for _, q := range quantity.Performance {
		performance[q.Name] = 0.0
	}
	env["performance"] = performance
	return env
}

// RuleShape returns the names available to the engine's rules: every value of its results, with the dimensions of its
// components' outputs, and the functions of its file.
func (m *Model) RuleShape() rule.Shape {
	dimensions := map[string]unit.Dimension{}
	for _, c := range m.Engine.Components {
		for _, o := range c.Type.Outputs {
			dimensions[c.Name+"."+o.Name] = o.Dim
		}
	}
	return rule.Shape{Engine: m.Shape(), Dimensions: dimensions, Functions: m.Engine.Functions}
}
