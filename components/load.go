package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Load takes power from a shaft out of the engine: a helicopter's rotor, a pump, a
// generator that is not looked at further.
//
//	P = power (N/N_design)^exponent
//
// Exponent 0 is a load that asks for its power at any speed (a governed rotor or
// generator), 3 one that follows the cube law of fans, pumps and propellers of
// fixed pitch (constant power coefficient).
type Load struct {
	power, exponent float64
	given           bool
	n               float64 // at design, rpm
	shaft           Coupling
	taken           float64
}

var loadKind = kind{
	typ: config.Type{
		Name: "load", Doc: "Load: power that leaves the engine by a shaft.",
		Ports: []config.Port{drivenShaft},
		Params: []config.Param{
			number("power", unit.Power, nil, 0, 1e9, "power that it takes at the design speed; default: what balances the shaft at design"),
			number("exponent", unit.None, 0.0, 0, 5, "power of the speed that the load follows: 0 constant, 3 a cube law"),
		},
		Outputs: []config.Output{{Name: "P", Dim: unit.Power, Doc: "power that it takes"}},
	},
	make: func() Component { return &Load{power: startPower} },
}

// Declare implements Component.
func (c *Load) Declare(d *Declaration) {
	d.BalancedNumber("power", &c.power, &c.given)
	d.Number("exponent", &c.exponent)
	d.Shaft("shaft", &c.shaft)
	d.Fix(&c.n)
	d.Output("P", &c.taken)
	d.Load = &c.taken
}

// BalancedByShaft implements ShaftBalancer.
func (c *Load) BalancedByShaft() (Unknown, bool) { return balancedPower(&c.power), !c.given }

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
