package model

// The energy account holds for component types that this package does not know, from their
// declarations alone.

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// wall is a duct whose wall takes up heat,
//
//	m c dT/dt = hA (Tt_in - T)
type wall struct {
	mass, c, hA      float64 // kg, J/(kg K), W/K
	temp, rate, size float64 // K, K/s, K
	in               *flow.Station
	out              flow.Station
	holding          components.Holding
}

func (w *wall) Declare(d *components.Declaration) {
	d.Describe("wall", "Duct with a wall that takes up heat.")
	d.Number("mass", &w.mass, unit.Mass, "mass of the wall").Required().Within(1e-3, 1e3)
	d.Number("c", &w.c, unit.SpecificEntropy, "specific heat of the wall").Default(500)
	d.Number("hA", &w.hA, unit.Conductance, "heat transfer coefficient times area").Default(3000)
	d.In("in", &w.in, "flow in")
	d.Out("out", &w.out, "flow out")
	w.size = 100
	d.State(components.State{Name: "T", At: &w.temp, Rate: &w.rate, Typical: &w.size, Dim: unit.Temperature})
	d.Output("T", &w.temp, unit.Temperature, "temperature of the wall")
	d.Store(components.Metal, &w.holding)
}

func (w *wall) Eval(x *components.Context) error {
	w.out = flow.Station{W: w.in.W, Comp: w.in.Comp, State: w.in.State}
	q := 0.0
	if x.Stores {
		q = w.hA * (w.in.T - w.temp)
	} else {
		w.temp = w.in.T
	}
	w.rate = q / (w.mass * w.c)
	w.holding = components.Holding{Power: q, Energy: w.mass * w.c * w.temp}
	return w.out.SetHP(x.Gas, w.in.H-q/w.in.W, w.in.P)
}

// tank is a duct beside which gas collects, as much as the flow fills in a time,
//
//	dm/dt = (W time - m)/lag
type tank struct {
	time, lag              float64 // s
	m, energy, dm, dEnergy float64
	sizes                  [2]float64
	in                     *flow.Station
	out                    flow.Station
	holding                components.Holding
}

func (k *tank) Declare(d *components.Declaration) {
	d.Describe("tank", "Duct beside which gas collects.")
	d.Number("time", &k.time, unit.Time, "time in which the flow fills the tank").Default(0.5)
	d.Number("lag", &k.lag, unit.Time, "time constant").Default(0.3)
	d.In("in", &k.in, "flow in")
	d.Out("out", &k.out, "flow out")
	d.State(components.State{Name: "m", At: &k.m, Rate: &k.dm, Typical: &k.sizes[0], Dim: unit.Mass})
	d.State(components.State{Name: "energy", At: &k.energy, Rate: &k.dEnergy, Typical: &k.sizes[1]})
	d.Store(components.Gas, &k.holding)
}

func (k *tank) Eval(x *components.Context) error {
	k.out = flow.Station{W: k.in.W, Comp: k.in.Comp, State: k.in.State}
	k.dm = 0
	if x.Stores {
		k.dm = (k.in.W*k.time - k.m) / k.lag
	} else {
		k.m = k.in.W * k.time
		k.energy = k.m * k.in.H
		k.sizes = [2]float64{k.m, k.m * k.in.Cp * k.in.T}
	}
	k.dEnergy = k.dm * k.in.H
	k.out.W -= k.dm
	k.holding = components.Holding{Mass: k.dm, Power: k.dEnergy, Energy: k.energy, Air: k.m}
	return nil
}

// brake takes power from a shaft, all of which is lost.
type brake struct {
	power float64
	shaft components.Coupling
}

func (b *brake) Declare(d *components.Declaration) {
	d.Describe("brake", "Brake that turns shaft power into heat.")
	d.Number("power", &b.power, unit.Power, "power that it takes").Required()
	d.DrivenBy("shaft", &b.shaft)
	d.Output("power", &b.power, unit.Power, "power that it takes")
	d.Lost = &b.power
}

func (b *brake) Eval(*components.Context) error {
	b.shaft.Power = -b.power
	return nil
}

// withNewKinds makes components of the types above, and all others.
func withNewKinds(c *config.Component) (components.Component, *components.Declaration, error) {
	var part components.Component
	switch c.Type.Name {
	case "wall":
		part = &wall{}
	case "tank":
		part = &tank{}
	case "brake":
		part = &brake{}
	default:
		return components.New(c)
	}
	d, err := components.Declare(part, c.Values)
	return part, d, err
}

// The energy account closes with components of other types. Their stores and losses are in
// the right entries.
func TestLedgerOfNewKinds(t *testing.T) {
	text := strings.Replace(enginetest.Turbojet, "compressor -> burner -> turbine -> nozzle", "compressor -> tank -> burner -> turbine -> wall -> nozzle", 1)
	text = strings.Replace(text, "flow:\n", "  tank: {type: tank}\n  wall: {type: wall, mass: 40 kg}\n  brake: {type: brake, power: 50 kW}\nflow:\n", 1)
	text = strings.Replace(text, "drives: [compressor]", "inertia: 60 kg m2, drives: [compressor, brake]", 1)
	cat := components.Catalogue()
	cat.Types = append(cat.Types, components.TypeOf(&wall{}), components.TypeOf(&tank{}), components.TypeOf(&brake{}))
	cfg := must.Value(config.Parse("new.yaml", []byte(text), cat, nil))(t)
	const end = 2.0
	cfg.Cases = []config.Case{{Name: "slows", Kind: "transient", Transient: &config.Transient{Duration: end, RTol: 1e-8, ATol: 1e-5, Integrator: "dormand-prince",
		Schedules: []config.Schedule{fuel(0, 0.7)}, Save: []config.Quantity{{Path: "wall.T", Dim: unit.Temperature}}}}}
	m := must.Value(newWith(cfg, withNewKinds))(t)
	s := must.Value(m.Session(context.Background()))(t)
	all := must.Value(s.Solve(context.Background(), []string{"slows"}, 1))(t)
	l := closes(t, all[0], 1e-6)
	temp := all[0].History.Column("wall.T")
	if got, want := l.Metal, 40*500*(temp[len(temp)-1]-temp[0]); !(want < 0) || math.Abs(got/want-1) > 1e-12 {
		t.Errorf("the wall's heat grew by %.10g J, booked are %.10g J", want, got)
	}
	if !(l.Volumes < 0) {
		t.Errorf("the gas in the tank grew by %g J in an engine that slows down", l.Volumes)
	}
	if math.Abs(l.Shaft/(100e3*end)-1) > 1e-9 || !(l.Losses > 50e3*end) {
		t.Errorf("%g J left by the shaft, %g J were lost", l.Shaft, l.Losses)
	}
}

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

// What a component's number or output is it declares: humidity and fuel flow are found under any name.
func TestNamesDoNotMatter(t *testing.T) {
	text := strings.NewReplacer("type: ambient", "type: breeze", "type: burner", "type: torch", "\ncomponents:", "\ngas: {WAR: 0.01}\ncomponents:", "drives: [compressor]", "inertia: 60 kg m2, drives: [compressor]").Replace(enginetest.Turbojet)
	cat := components.Catalogue()
	cat.Types = append(cat.Types, components.TypeOf(&breeze{}), components.TypeOf(&torch{}))
	cfg := must.Value(config.Parse("new.yaml", []byte(text), cat, nil))(t)
	flow := fuel(0, 0.7)
	flow.Path = "burner.fuel"
	cfg.Cases = []config.Case{{Name: "slows", Kind: "transient", Transient: &config.Transient{Duration: 0.1, RTol: 1e-6, ATol: 1e-3, Integrator: "rosenbrock",
		Schedules: []config.Schedule{flow}}}}
	m, err := newWith(cfg, func(c *config.Component) (components.Component, *components.Declaration, error) {
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
	if !m.mayContain(components.Water, m.Index["nozzle"], &cfg.Cases[0]) {
		t.Error("no water reaches the nozzle")
	}
	s := must.Value(m.Session(context.Background()))(t)
	all := must.Value(s.Solve(context.Background(), []string{"slows"}, 1))(t)
	if got := m.Index["inlet"].outlet("out").At.Comp.WAR; got != 0.01 {
		t.Errorf("the air has %g of water, want 0.01", got)
	}
	if h := all[0].History; h.Index("burner.fuel") >= 0 || h.Index("performance.Wf") < 0 {
		t.Errorf("the history has the columns %v; want the engine's fuel flow, once", h.Columns)
	}
}
