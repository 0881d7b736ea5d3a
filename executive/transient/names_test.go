package transient

// The meaning of a component's numbers and outputs follows from its declaration, not from its name or theirs.

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// breeze and torch are an ambient and a burner that call their humidity and their fuel flow otherwise.
type (
	breeze struct{ components.Ambient }
	torch  struct{ components.Burner }
)

func (b *breeze) Declare(d *components.Declaration) {
	b.Ambient.Declare(d)
	d.Describe("breeze", "Ambient with other names.")
	for i := range d.Numbers {
		if d.Numbers[i].Name == "WAR" {
			d.Numbers[i].Name, d.Type.Param("WAR").Name = "humidity", "humidity"
		}
	}
}

func (b *torch) Declare(d *components.Declaration) {
	b.Burner.Declare(d)
	d.Describe("torch", "Burner with other names.")
	for i := range d.Outputs {
		if d.Outputs[i].Name == "Wf" {
			d.Outputs[i].Name, d.Type.Output("Wf").Name = "fuel", "fuel"
		}
	}
}

// A component declares the meaning of its numbers and outputs: humidity and fuel flow are found under any name.
func TestNamesDoNotMatter(t *testing.T) {
	text := strings.NewReplacer("type: ambient", "type: breeze", "type: burner", "type: torch", "\ncomponents:",
		"\ngas: {WAR: 0.01}\ncomponents:", "drives: [compressor]",
		"inertia: 60 kg m2, drives: [compressor]").Replace(enginetest.Turbojet)
	cat := components.Catalogue()
	cat.Types = append(cat.Types, components.TypeOf(&breeze{}), components.TypeOf(&torch{}))
	cfg := must.Value(config.Parse("new.yaml", []byte(text), cat, nil))(t)
	flow := enginetest.Fuel(0, 0.7)
	flow.Path = "burner.fuel"
	cfg.Cases = []config.Case{
		{
			Name: "slows", Kind: "transient", Transient: &config.Transient{Duration: 0.1, RTol: 1e-6, ATol: 1e-3,
				Integrator: "rosenbrock",
				Schedules:  []config.Schedule{flow}}}}
	m, err := graph.NewWith(cfg, func(c *config.Component) (components.Component, *components.Declaration, error) {
		var part components.Component
		switch c.Type.Name {
		case "breeze":
			part = &breeze{}
		case "torch":
			part = &torch{}
		default:
			return components.New(c)
		}
		d, err := components.Declare(part, c.Values)
		return part, d, err
	})
	must.OK(t, err)
	if !mayContain(m, components.Water, m.Index["nozzle"], &cfg.Cases[0]) {
		t.Error("no water reaches the nozzle")
	}
	must.Value(steady.New(m).Design(t.Context()))(t)
	must.OK(t, m.Settle())
	r := must.Value(Solve(t.Context(), m, &cfg.Cases[0], Options{}, nil))(t)
	if got := m.Index["inlet"].Outlet("out").At.Comp.WAR; got != 0.01 {
		t.Errorf("the air has %g of water, want 0.01", got)
	}
	if h := r.History; h.Index("burner.fuel") >= 0 || h.Index("performance.Wf") < 0 {
		t.Errorf("the history has the columns %v; want the engine's fuel flow, once", h.Columns)
	}
}
