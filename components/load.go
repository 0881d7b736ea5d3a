package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// Load takes power from a shaft out of the engine: a helicopter's rotor, a pump, a generator that is not modelled
// further.
//
//	P = power (N/N_design)^exponent
//
// Exponent 0 is a load with constant power at any speed (a governed rotor or generator), 3 a load that follows the cube
// law of fans, pumps and propellers of fixed pitch (constant power coefficient).
type Load struct {
	shaftPower
	exponent float64
	n        float64 // at design, rpm
	shaft    Coupling
	taken    float64
}

func newLoad() Component { return &Load{shaftPower: shaftPower{power: startPower}} }

// Declare implements Component.
func (c *Load) Declare(d *Declaration) {
	d.Describe("load", "Load: power that leaves the engine by a shaft.")
	d.Also("pump", "alternator", "helicopter_rotor")
	d.Number("power", &c.power, unit.Power,
		"power that it takes at the design speed; default: from the balance of the shaft at design").Within(0,
		1e9).Given(&c.given)
	d.Number("exponent", &c.exponent, unit.None,
		"power of the speed that the load follows: 0 constant, 3 a cube law").Default(0).Within(0, 5)
	d.DrivenBy("shaft", &c.shaft)
	d.Fix(&c.n)
	d.Output("P", &c.taken, unit.Power, "power that it takes")
	d.Load = &c.taken
}

// Eval implements Component.
func (c *Load) Eval(x *Context) error {
	if x.Mode == Design {
		c.n = *c.shaft.N
	}
	c.taken = c.power
	if c.exponent != 0 {
		c.taken *= math.Pow(*c.shaft.N/c.n, c.exponent)
	}
	c.shaft.Power = -c.taken
	return nil
}
