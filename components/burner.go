package components

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Burner burns fuel in its stream.
//
//	Wf     = FAR W_in
//	Pt_out = Pt_in (1 - dPqP)
//	W_out ht_out = W_in ht_in + Wf (h_fuel - (1 - eff) LHV)
//
// with absolute enthalpies. What the efficiency leaves unburnt counts as heat
// lost; the composition is that of complete combustion. In a transient its metal may
// soak heat; see soak.
type Burner struct {
	far, dPqP, eff float64
	mn, area       float64
	in             *flow.Station
	out            flow.Station
	wf, heat       float64
	soak           soak
}

var burnerKind = kind{
	typ: config.Type{
		Name: "burner", Doc: "Burner: fuel, heat, pressure loss.",
		Ports: []config.Port{flowIn, flowOut},
		Params: slices.Concat([]config.Param{
			number("FAR", unit.None, 0.02, 0, 0.1, "fuel flow over the flow that enters the burner"),
			number("dPqP", unit.None, 0.0, 0, 0.99, "loss of total pressure as a fraction of the inlet's"),
			number("eff", unit.None, 1.0, 0.01, 1, "share of the heating value that is released"),
			exitMN,
		}, soakParams),
		Outputs: slices.Concat([]config.Output{
			{Name: "Wf", Dim: unit.MassFlow, Doc: "fuel flow", By: "FAR", Max: 1e3},
			{Name: "FAR", Dim: unit.None, Doc: "fuel flow over the flow that enters the burner"},
		}, soakOutputs),
	},
	make: func() Component { return &Burner{} },
}

// Declare implements Component.
func (c *Burner) Declare(d *Declaration) {
	d.Number("FAR", &c.far)
	d.Number("dPqP", &c.dPqP)
	d.Number("eff", &c.eff)
	d.DesignNumber("MN", &c.mn)
	d.In("in", &c.in)
	d.OutSized("out", &c.out, &c.mn, &c.area)
	d.Output("Wf", &c.wf)
	d.Output("FAR", &c.far)
	d.Fuel = &c.wf
	d.Heat = &c.heat
	c.soak.declare(d)
}

// Check tells of parameters that contradict each other.
func (c *Burner) Check() error { return c.soak.check() }

// Eval implements Component.
func (c *Burner) Eval(x *Context) error {
	fuel := x.Gas.Fuel()
	c.wf = c.far * c.in.W
	c.heat = -(1 - c.eff) * c.wf * fuel.LHV
	c.out.W = c.in.W + c.wf
	c.out.Comp = c.in.Comp
	c.out.Comp.FAR += c.far * c.in.Comp.Total()
	if c.out.T == 0 {
		c.out.T = c.in.T
	}
	h := (c.in.W*c.in.H + c.wf*fuel.Enthalpy + c.heat) / c.out.W
	if err := c.out.SetHP(x.Gas, h, c.in.P*(1-c.dPqP)); err != nil {
		return fmt.Errorf("burning at FAR %.5g: %w", c.far, err)
	}
	return c.soak.take(x, &c.out)
}
