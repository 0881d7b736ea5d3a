package components

import (
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Generator turns shaft power into electric power.
//
//	P_shaft = P_electric/eff
//
// The electric power is given, or varied; eff holds for machine and power
// electronics together and does not change with load or speed. Without a bus the
// electric power leaves the engine.
type Generator struct {
	power, eff float64
	shaft, out Coupling
	leaves     float64
	taken      float64
}

var generatorKind = kind{
	typ: config.Type{
		Name: "generator", Doc: "Generator: shaft power into electric power.",
		Ports: []config.Port{
			drivenShaft,
			{Name: "electric", Kind: config.Electric, Dir: config.Out, Optional: true, Doc: "the bus that it feeds; without one the power leaves the engine"},
		},
		Params: []config.Param{
			number("power", unit.Power, 0.0, 0, 1e9, "electric power that it gives"),
			number("eff", unit.None, 1.0, 0.01, 1, "electric power over shaft power"),
		},
		Outputs: []config.Output{
			{Name: "shaft_power", Dim: unit.Power, Doc: "power taken from the shaft"},
		},
	},
	make: func() Component { return &Generator{} },
}

// Declare implements Component.
func (c *Generator) Declare(d *Declaration) {
	d.Number("power", &c.power)
	d.Number("eff", &c.eff)
	d.Shaft("shaft", &c.shaft)
	d.Shaft("electric", &c.out)
	d.Output("shaft_power", &c.taken)
	d.Load = &c.leaves
}

// Eval implements Component.
func (c *Generator) Eval(*Context) error {
	c.taken = c.power / c.eff
	c.shaft.Power = -c.taken
	c.out.Power = c.power
	c.leaves = c.power
	if c.out.Joined {
		c.leaves = 0
	}
	return nil
}

// Motor turns electric power into shaft power.
//
//	P_electric = P_shaft/eff
//
// The shaft power is given, or varied; eff as of a Generator. Without a bus its
// electric power comes from outside the engine.
type Motor struct {
	power, eff float64
	shaft, in  Coupling
	taken      float64
}

var motorKind = kind{
	typ: config.Type{
		Name: "motor", Doc: "Motor: electric power into shaft power.",
		Ports: []config.Port{
			drivingShaft,
			{Name: "electric", Kind: config.Electric, Dir: config.In, Optional: true, Doc: "the bus that feeds it; without one the power comes from outside"},
		},
		Params: []config.Param{
			number("power", unit.Power, 0.0, 0, 1e9, "shaft power that it gives"),
			number("eff", unit.None, 1.0, 0.01, 1, "shaft power over electric power"),
		},
		Outputs: []config.Output{
			{Name: "electric_power", Dim: unit.Power, Doc: "electric power that it takes"},
		},
	},
	make: func() Component { return &Motor{} },
}

// Declare implements Component.
func (c *Motor) Declare(d *Declaration) {
	d.Number("power", &c.power)
	d.Number("eff", &c.eff)
	d.Shaft("shaft", &c.shaft)
	d.Shaft("electric", &c.in)
	d.Output("electric_power", &c.taken)
}

// Eval implements Component.
func (c *Motor) Eval(*Context) error {
	c.taken = c.power / c.eff
	c.shaft.Power = c.power
	c.in.Power = -c.taken
	return nil
}
