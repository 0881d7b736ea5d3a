package components

import (
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Splitter divides a stream in two of the same totals, bypass : core = BPR.
// Off design the ratio is what the two streams downstream let through.
type Splitter struct {
	bpr          float64
	core, byp    flow.Station
	in           *flow.Station
	mnC, mnB     float64
	areaC, areaB float64
	ratio        float64
}

var splitterKind = kind{
	typ: config.Type{
		Name: "splitter", Doc: "Splitter: one stream into two of the same totals.",
		Ports: []config.Port{
			flowIn,
			{Name: "core", Kind: config.Flow, Dir: config.Out, Doc: "inner stream"},
			{Name: "bypass", Kind: config.Flow, Dir: config.Out, Doc: "outer stream"},
		},
		Params: []config.Param{
			required(number("BPR", unit.None, nil, 1e-6, 200, "bypass flow over core flow at design")),
			number("MN_core", unit.None, 0.0, 0, 1, "Mach number of the core exit at design"),
			number("MN_bypass", unit.None, 0.0, 0, 1, "Mach number of the bypass exit at design"),
		},
		Outputs: []config.Output{{Name: "BPR", Dim: unit.None, Doc: "bypass flow over core flow"}},
	},
	make: func() Component { return &Splitter{} },
}

var minBPR = 1e-6

// Declare implements Component.
func (c *Splitter) Declare(d *Declaration) {
	d.DesignNumber("BPR", &c.bpr)
	d.DesignNumber("MN_core", &c.mnC)
	d.DesignNumber("MN_bypass", &c.mnB)
	d.In("in", &c.in)
	d.OutSized("core", &c.core, &c.mnC, &c.areaC)
	d.OutSized("bypass", &c.byp, &c.mnB, &c.areaB)
	d.Unknown(Unknown{Name: "BPR", Modes: OffDesign, At: &c.bpr, Min: &minBPR, Typical: 1})
	d.Fix(&c.bpr)
	d.Output("BPR", &c.ratio)
}

// Eval implements Component.
func (c *Splitter) Eval(x *Context) error {
	c.ratio = c.bpr
	areaFree(&c.core, c.in)
	areaFree(&c.byp, c.in)
	c.core.W = c.in.W / (1 + c.bpr)
	c.byp.W = c.in.W - c.core.W
	return nil
}

// areaFree copies a stream's totals without its statics.
func areaFree(to, from *flow.Station) {
	*to = *from
	to.Ps, to.Ts, to.MN, to.V, to.Rhos, to.A = 0, 0, 0, 0, 0, 0
}
