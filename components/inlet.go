package components

import (
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Inlet brings the free stream to the engine face.
//
//	Pt_out = ram_recovery Pt_in,  ht_out = ht_in
//	Fram   = W V
type Inlet struct {
	recovery float64
	mn       float64
	in       *flow.Station
	out      flow.Station
	area     float64
	free     *Freestream
	drag     float64
}

var inletKind = kind{
	typ: config.Type{
		Name: "inlet", Doc: "Inlet: total pressure recovery and ram drag.",
		Ports: []config.Port{flowIn, flowOut},
		Params: []config.Param{
			number("ram_recovery", unit.None, 1.0, 0.1, 1, "total pressure recovery"),
			exitMN,
		},
		Outputs: []config.Output{{Name: "Fram", Dim: unit.Force, Doc: "ram drag"}},
	},
	make: func() Component { return &Inlet{} },
}

// Declare implements Component.
func (c *Inlet) Declare(d *Declaration) {
	d.Number("ram_recovery", &c.recovery)
	d.DesignNumber("MN", &c.mn)
	d.In("in", &c.in)
	d.OutSized("out", &c.out, &c.mn, &c.area)
	d.Output("Fram", &c.drag)
	d.Free = &c.free
	d.Drag = &c.drag
}

// Eval implements Component.
func (c *Inlet) Eval(x *Context) error {
	c.drag = c.in.W * c.free.V
	c.out.W, c.out.Comp = c.in.W, c.in.Comp
	return c.out.SetHP(x.Gas, c.in.H, c.in.P*c.recovery)
}
