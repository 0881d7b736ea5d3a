package components

import (
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// startPower is where a solver starts that looks for a machine's power, W.
const startPower = 1e6

// balancedPower is a machine's power as an unknown of the design.
func balancedPower(at *float64) Unknown {
	return Unknown{Name: "power", Modes: Design, At: at, Min: &zero, Typical: startPower}
}

// Generator turns shaft power into electric power.
//
//	P_shaft = P_electric/eff
//
// The electric power is given, varied, or at design what balances the shaft; eff holds for machine and power
// electronics together and does not change with load or speed. Without a bus the
// electric power leaves the engine.
type Generator struct {
	power, eff float64
	given      bool
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
			number("power", unit.Power, nil, 0, 1e9, "electric power that it gives; default: what balances the shaft at design"),
			number("eff", unit.None, 1.0, 0.01, 1, "electric power over shaft power"),
		},
		Outputs: []config.Output{
			{Name: "shaft_power", Dim: unit.Power, Doc: "power taken from the shaft"},
		},
	},
	make: func() Component { return &Generator{power: startPower} },
}

// Declare implements Component.
func (c *Generator) Declare(d *Declaration) {
	d.BalancedNumber("power", &c.power, &c.given)
	d.Number("eff", &c.eff)
	d.Shaft("shaft", &c.shaft)
	d.Shaft("electric", &c.out)
	d.Output("shaft_power", &c.taken)
	d.Load = &c.leaves
}

// BalancedByShaft implements ShaftBalancer.
func (c *Generator) BalancedByShaft() (Unknown, bool) { return balancedPower(&c.power), !c.given }

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
// The shaft power is given, varied, or at design what balances the shaft; eff as of a Generator. Without a bus its
// electric power comes from outside the engine.
type Motor struct {
	power, eff float64
	given      bool
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
			number("power", unit.Power, nil, 0, 1e9, "shaft power that it gives; default: what balances the shaft at design"),
			number("eff", unit.None, 1.0, 0.01, 1, "shaft power over electric power"),
		},
		Outputs: []config.Output{
			{Name: "electric_power", Dim: unit.Power, Doc: "electric power that it takes"},
		},
	},
	make: func() Component { return &Motor{power: startPower} },
}

// Declare implements Component.
func (c *Motor) Declare(d *Declaration) {
	d.BalancedNumber("power", &c.power, &c.given)
	d.Number("eff", &c.eff)
	d.Shaft("shaft", &c.shaft)
	d.Shaft("electric", &c.in)
	d.Output("electric_power", &c.taken)
}

// BalancedByShaft implements ShaftBalancer.
func (c *Motor) BalancedByShaft() (Unknown, bool) { return balancedPower(&c.power), !c.given }

// Eval implements Component.
func (c *Motor) Eval(*Context) error {
	c.taken = c.power / c.eff
	c.shaft.Power = c.power
	c.in.Power = -c.taken
	return nil
}
