package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Duct loses total pressure to friction and turning, and may take up heat.
//
//	Pt_out = Pt_in (1 - dPqP),  ht_out = ht_in + Q/W
//
// Bleeds may leave it, at the share `work` of what it does to the enthalpy and
// `pressure` of what it does to the pressure: by default from its exit.
//
// Off design the loss is that of the design point, or follows the square of the
// corrected flow, as friction at a nearly constant coefficient does (Walsh and
// Fletcher, Gas Turbine Performance, 2nd ed., section 5.13).
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
}

var ductKind = kind{
	typ: config.Type{
		Name: "duct", Doc: "Duct: pressure loss, heat.",
		Ports: []config.Port{flowIn, flowOut, bleedOut},
		Params: []config.Param{
			number("dPqP", unit.None, 0.0, 0, 0.99, "loss of total pressure at design, as a fraction of the inlet's"),
			number("Q", unit.Power, 0.0, 0, 0, "heat added"),
			{Name: "loss", Kind: config.Word, Words: []string{"constant", "quadratic"}, Default: "constant", Doc: "off design the loss stays, or goes with the corrected flow squared"},
			exitMN,
		},
		Outputs: []config.Output{{Name: "dPqP", Dim: unit.None, Doc: "loss of total pressure as a fraction of the inlet's"}},
	},
	make: func() Component { return &Duct{} },
}

// Declare implements Component.
func (c *Duct) Declare(d *Declaration) {
	d.Number("dPqP", &c.dPqP)
	d.Number("Q", &c.q)
	d.Word("loss", &c.loss)
	d.DesignNumber("MN", &c.mn)
	d.In("in", &c.in)
	d.OutSized("out", &c.out, &c.mn, &c.area)
	d.BleedOuts = append(d.BleedOuts, BleedPort{"bleeds", &c.bleeds})
	d.Fix(&c.wcDes)
	d.Output("dPqP", &c.actual)
	d.Heat = &c.q
}

// Eval implements Component.
func (c *Duct) Eval(x *Context) error {
	c.actual = c.dPqP
	wc := c.in.Wc()
	if x.Mode == Design {
		c.wcDes = wc
	} else if c.loss == "quadratic" {
		c.actual *= (wc / c.wcDes) * (wc / c.wcDes)
	}
	if c.actual >= 1 {
		return fmt.Errorf("the loss of %.3g leaves no pressure: corrected flow is %.4g of the design's", c.actual, wc/c.wcDes)
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
