package components

import (
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Generator turns shaft power into electric power.
//
//	P_shaft = P_electric/eff
//
// The electric power is given, varied, or at design balances the shaft. The efficiency eff is of machine and power
// electronics together and does not change with load or speed. Without a bus the electric power leaves the engine.
type Generator struct {
	shaftPower
	eff        float64
	shaft, out Coupling
	leaves     float64
	taken      float64
}

func newGenerator() Component { return &Generator{shaftPower: shaftPower{power: startPower}} }

// Declare implements Component.
func (c *Generator) Declare(d *Declaration) {
	d.Describe("generator", "Generator: shaft power into electric power.")
	d.Number("power", &c.power, unit.Power,
		"electric power that it gives; default: from the balance of the shaft at design").Within(0, 1e9).Given(&c.given)
	d.Number("eff", &c.eff, unit.None, "electric power over shaft power").Default(1).Within(0.01, 1)
	d.DrivenBy("shaft", &c.shaft)
	d.Feeds("electric", &c.out, "bus that receives its power; without a bus the power leaves the engine")
	d.Output("shaft_power", &c.taken, unit.Power, "power taken from the shaft")
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
// The shaft power is given, varied, or at design balances the shaft; eff as of a Generator. Without a bus its electric
// power comes from outside the engine.
type Motor struct {
	shaftPower
	eff       float64
	shaft, in Coupling
	taken     float64
}

func newMotor() Component { return &Motor{shaftPower: shaftPower{power: startPower}} }

// Declare implements Component.
func (c *Motor) Declare(d *Declaration) {
	d.Describe("motor", "Motor: electric power into shaft power.")
	d.Number("power", &c.power, unit.Power,
		"shaft power that it gives; default: from the balance of the shaft at design").Within(0, 1e9).Given(&c.given)
	d.Number("eff", &c.eff, unit.None, "shaft power over electric power").Default(1).Within(0.01, 1)
	d.Drives("shaft", &c.shaft)
	d.FedBy("electric", &c.in, "bus that supplies its power; without a bus the power comes from outside")
	d.Output("electric_power", &c.taken, unit.Power, "electric power that it takes")
}

// Eval implements Component.
func (c *Motor) Eval(*Context) error {
	c.taken = c.power / c.eff
	c.shaft.Power = c.power
	c.in.Power = -c.taken
	return nil
}

// startPower is where a solver starts to seek the power of a machine, W.
const startPower = 1e6

// balancedPower is a machine's power as an unknown of the design.
func balancedPower(at *float64) Unknown {
	return Unknown{Name: "power", Modes: Design, At: at, Min: &zero, Typical: startPower}
}

// shaftPower is the power of a machine that the balance of the shaft finds at design, unless it is given.
type shaftPower struct {
	power float64 // W
	given bool
}

// BalancedByShaft implements ShaftBalancer.
func (p *shaftPower) BalancedByShaft() (Unknown, bool) { return balancedPower(&p.power), !p.given }

// zero is a lower bound.
var zero = 0.0
