package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Duct loses total pressure to friction and turning, and may take up heat.
//
//	Pt_out = Pt_in (1 - dPqP),  ht_out = ht_in + Q/W
//
// Bleeds may leave it, at the share `work` of its enthalpy change and `pressure` of its pressure change: by default
// from its exit.
//
// Off design the loss is that of the design point, or follows the square of the corrected flow, as friction at a nearly
// constant coefficient does (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 5.13). A flow solver may
// supply it over the corrected flow; see LawUse.
type Duct struct {
	dPqP, q  float64
	loss     string
	mn, area float64
	wcDes    float64
	in       *flow.Station
	out      flow.Station
	layers   flow.Layers
	bleeds   []*Bleed
	actual   float64
	law      LawUse
}

// Declare implements Component.
func (c *Duct) Declare(d *Declaration) {
	d.Describe("duct", "Duct: pressure loss, heat.")
	d.Also("pipe", "bypass")
	d.Number("dPqP", &c.dPqP, unit.None, "loss of total pressure at design, as a fraction of the inlet's").Default(
		0).Within(0, 0.99)
	d.Number("Q", &c.q, unit.Power, "heat added").Default(0)
	d.Word("loss", &c.loss, "off design the loss is constant, or follows the square of the corrected flow", "constant",
		"quadratic")
	d.exitMN(&c.mn)
	d.In("in", &c.in, "flow in")
	d.Out("out", &c.out, "flow out").Sized(&c.mn, &c.area)
	d.BleedsOut("bleeds", &c.bleeds, "bleeds out")
	d.Fix(&c.wcDes)
	d.Output("dPqP", &c.actual, unit.None, "loss of total pressure as a fraction of the inlet's")
	d.Law(&c.law, []string{"Wc"}, []string{"dPqP"})
	d.Heat = &c.q
}

// Eval implements Component.
func (c *Duct) Eval(x *Context) error {
	c.actual = c.dPqP
	wc := c.in.Wc()
	if x.Mode == Design {
		c.wcDes = wc
	} else if l, _ := c.law.Law(); l == nil && c.loss == "quadratic" {
		c.actual *= (wc / c.wcDes) * (wc / c.wcDes)
	}
	c.actual = c.law.look(x.Mode, pair{wc}, pair{c.actual})[0]
	if c.actual >= 1 {
		return fmt.Errorf("the loss of %.3g leaves no pressure: corrected flow is %.4g of the design's", c.actual,
			wc/c.wcDes)
	}
	areaFree(&c.out, c.in)
	if err := c.out.SetHP(x.Gas, c.in.H+c.q/c.in.W, c.in.P*(1-c.actual)); err != nil {
		return err
	}
	for _, b := range c.bleeds {
		w, err := b.leave(x.Gas, c.in, &c.out)
		if err != nil {
			return err
		}
		c.out.W -= w
	}
	if c.in.Layers == nil {
		return nil
	}
	c.layers = *c.in.Layers
	c.out.Layers = &c.layers
	for _, l := range []*flow.Station{&c.layers.Core, &c.layers.Byp} {
		if err := l.SetHP(x.Gas, l.H+c.q/c.in.W, l.P*(1-c.actual)); err != nil {
			return err
		}
	}
	return nil
}
