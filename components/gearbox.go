package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Gearbox carries power between two shafts whose speeds keep a fixed ratio.
//
//	P_out = eff P_in
//	N_out/N_in = ratio
//
// The ratio is that of the shafts' design speeds. The power that goes through is
// unknown: at design the balance of the shaft behind it finds it, off design the
// ratio takes away one of the two speeds. Should power flow backwards (a fan that
// windmills), the loss is on the other side, P_in = eff P_out.
type Gearbox struct {
	eff, power, ratio float64
	in, out           Coupling
	err, loss         float64
}

var gearboxKind = kind{
	typ: config.Type{
		Name: "gearbox", Doc: "Gearbox between two shafts of a fixed speed ratio.",
		Ports: []config.Port{
			{Name: "in", Kind: config.Shaft, Dir: config.In, Doc: "the shaft that drives it"},
			{Name: "out", Kind: config.Shaft, Dir: config.Out, Doc: "the shaft that it drives"},
		},
		Params: []config.Param{
			number("eff", unit.None, 1.0, 0.01, 1, "power out over power in"),
		},
		Outputs: []config.Output{
			{Name: "power", Dim: unit.Power, Doc: "power in"},
			{Name: "loss", Dim: unit.Power, Doc: "power lost, to be cooled away"},
			{Name: "ratio", Dim: unit.None, Doc: "speed of the driven shaft over that of the driving one"},
		},
	},
	make: func() Component { return &Gearbox{power: startPower} },
}

// Declare implements Component.
func (c *Gearbox) Declare(d *Declaration) {
	d.Number("eff", &c.eff)
	d.Shaft("in", &c.in)
	d.Shaft("out", &c.out)
	d.Unknown(Unknown{Name: "power", Modes: Design | OffDesign, At: &c.power, Typical: startPower})
	d.Residual("ratio", OffDesign, &c.err, "the shafts do not turn in the gearbox's ratio")
	d.Fix(&c.ratio, &c.power)
	d.Output("power", &c.power)
	d.Output("loss", &c.loss)
	d.Output("ratio", &c.ratio)
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

// Lost is the power lost in the last evaluation, W.
func (c *Gearbox) Lost() float64 { return c.loss }

// Tell gives the values behind the residual.
func (c *Gearbox) Tell() string {
	return fmt.Sprintf("the shafts turn at %.5g and %.5g rpm, where the ratio is %.5g", *c.in.N, *c.out.N, c.ratio)
}
