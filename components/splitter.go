package components

import (
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Splitter divides a stream in two of the same totals, bypass : core = BPR. Off design the two streams downstream
// determine the ratio.
type Splitter struct {
	bpr          float64
	core, byp    flow.Station
	in           *flow.Station
	mnC, mnB     float64
	areaC, areaB float64
	ratio        float64
}

// minBPR keeps a core stream and a bypass stream.
var minBPR = 1e-6

// Declare implements Component.
func (c *Splitter) Declare(d *Declaration) {
	d.Describe("splitter", "Splitter: one stream into two of the same totals.")
	d.Number("BPR", &c.bpr, unit.None, "bypass flow over core flow at design").Within(minBPR,
		200).Required().DesignOnly()
	d.Number("MN_core", &c.mnC, unit.None, "Mach number of the core exit at design").Default(0).Within(0,
		1).DesignOnly()
	d.Number("MN_bypass", &c.mnB, unit.None, "Mach number of the bypass exit at design").Default(0).Within(0,
		1).DesignOnly()
	d.In("in", &c.in, "flow in")
	d.Out("core", &c.core, "inner stream").Sized(&c.mnC, &c.areaC)
	d.Out("bypass", &c.byp, "outer stream").Sized(&c.mnB, &c.areaB)
	d.Unknown(Unknown{Name: "BPR", Modes: OffDesign, At: &c.bpr, Min: &minBPR, Typical: 1})
	d.Fix(&c.bpr)
	d.Output("BPR", &c.ratio, unit.None, "bypass flow over core flow")
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
