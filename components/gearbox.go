package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// Gearbox carries power between two shafts whose speeds keep a fixed ratio.
//
//	P_out = eff P_in
//	N_out/N_in = ratio
//
// The ratio is that of the shafts' design speeds. The transmitted power is unknown: at design the balance of the shaft
// behind it finds it, off design the ratio removes one of the two speeds. If power flows backwards (a fan that
// windmills), the loss is on the other side, P_in = eff P_out.
type Gearbox struct {
	eff, power, ratio float64
	in, out           Coupling
	err, loss         float64
}

func newGearbox() Component { return &Gearbox{power: startPower} }

// Declare implements Component.
func (c *Gearbox) Declare(d *Declaration) {
	d.Describe("gearbox", "Gearbox between two shafts; its ratio follows from their speeds N.")
	d.Also("gear", "reduction_gear")
	d.Number("eff", &c.eff, unit.None, "power out over power in").Default(1).Within(0.01, 1)
	d.DrivenBy("in", &c.in)
	d.Drives("out", &c.out)
	d.Unknown(Unknown{Name: "power", Modes: Design | OffDesign, At: &c.power, Typical: startPower})
	d.Residual("ratio", OffDesign, &c.err, "the shafts do not turn in the gearbox's ratio")
	d.Fix(&c.ratio, &c.power)
	d.Output("power", &c.power, unit.Power, "power in")
	d.Output("loss", &c.loss, unit.Power, "power lost, to be cooled away")
	d.Output("ratio", &c.ratio, unit.None, "speed of the driven shaft over that of the driving one")
	d.Lost = &c.loss
	d.Geared = true
}

// Eval implements Component.
func (c *Gearbox) Eval(x *Context) error {
	ratio := *c.out.N / *c.in.N
	if x.Mode == Design {
		c.ratio = ratio
	}
	c.err = ratio/c.ratio - 1
	c.in.Power = -c.power
	if c.power >= 0 {
		c.out.Power = c.power * c.eff
	} else {
		c.out.Power = c.power / c.eff
	}
	c.loss = -c.in.Power - c.out.Power
	return nil
}

// Explain implements Explainer.
func (c *Gearbox) Explain() string {
	return fmt.Sprintf("the shafts turn at %.5g and %.5g rpm, where the ratio is %.5g", *c.in.N, *c.out.N, c.ratio)
}
