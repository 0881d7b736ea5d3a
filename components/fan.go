package components

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Fan is a compressor with two outlet streams, split by the splitter behind it in the ratio BPR. Each stream has a
// pressure ratio and an efficiency, both over the same corrected speed and the corrected flow of the whole fan.
//
// PR and eff are the bypass stream's, PR_core and eff_core the core's. A map without tables for the core serves both.
// For the equations of a stream see Compressor. Off design the two streams downstream determine BPR. Bleeds leave from
// the core stream; their shares are of its flow.
//
// With a separate map for the core (`map_core`) each stream has its own map at the same speed, with its own third
// coordinate and its corrected flow, W sqrt(theta)/delta of that stream.
type Fan struct {
	pr, eff, prCore, effCore float64
	bpr                      float64
	mnC, mnB, areaC, areaB   float64
	x, xMin, xMax            float64
	chart

	in          *flow.Station
	core, byp   flow.Station
	part, ideal flow.Station
	shaft       Coupling
	bleeds      []*Bleed

	separate             bool // the core has a separate map
	coreChart            chart
	xCore, xcMin, xcMax  float64
	wcAll, wcByp, wcCore float64 // corrected flows at design, kg/s

	errWc   float64
	errCore float64
	res     compression
	resCore compression
	ratio   float64
}

func newFan() Component {
	return &Fan{
		chart: chart{
			flow: "Wc", streams: []stream{{prTable: "PR", effTable: "eff"}, {prTable: "PR_core", effTable: "eff_core"}},
		},
		coreChart: chart{flow: "Wc", streams: []stream{{prTable: "PR", effTable: "eff"}}},
	}
}

// Declare implements Component.
func (c *Fan) Declare(d *Declaration) {
	b, k := &c.chart.streams[0], &c.chart.streams[1]
	d.Describe("fan", "Fan with a bypass and a core outlet stream.")
	d.Zoomable()
	d.Number("PR", &c.pr, unit.None, "pressure ratio of the bypass stream at design").Within(1,
		10).Required().DesignOnly()
	d.Number("eff", &c.eff, unit.None, "adiabatic efficiency of the bypass stream at design").Within(0.01,
		1).Required().DesignOnly()
	d.Number("PR_core", &c.prCore, unit.None, "pressure ratio of the core stream at design; default: as PR").Within(1,
		10).DesignOnly()
	d.Number("eff_core", &c.effCore, unit.None,
		"adiabatic efficiency of the core stream at design; default: as eff").Within(0.01, 1).DesignOnly()
	d.Number("BPR", &c.bpr, unit.None, "bypass flow over core flow at design").Within(minBPR,
		200).Required().DesignOnly()
	d.Map("map", perfmap.Compressor, c, mapDoc)
	d.Map("map_core", perfmap.Compressor, (*coreOfFan)(c),
		"performance map of the core stream by itself; map is the bypass stream's then")
	c.chart.declare(d)
	d.Number("MN_core", &c.mnC, unit.None, "Mach number of the core exit at design").Default(0).Within(0,
		1).DesignOnly()
	d.Number("MN_bypass", &c.mnB, unit.None, "Mach number of the bypass exit at design").Default(0).Within(0,
		1).DesignOnly()
	d.In("in", &c.in, "flow in")
	d.DrivenBy("shaft", &c.shaft)
	d.BleedsOut("bleeds", &c.bleeds, "bleeds out")
	d.Out("core", &c.core, "inner stream").Sized(&c.mnC, &c.areaC)
	d.Out("bypass", &c.byp, "outer stream").Sized(&c.mnB, &c.areaB)
	slices.Reverse(d.Outlets) // results list the bypass first, whose PR and eff are
	d.Unknown(Unknown{Name: "xMap", Modes: OffDesign, At: &c.x, Min: &c.xMin, Max: &c.xMax, Typical: 0.1})
	d.Unknown(Unknown{Name: "BPR", Modes: OffDesign, At: &c.bpr, Min: &minBPR, Typical: 1})
	d.Residual("Wc", OffDesign, &c.errWc, "the map's corrected flow is not the actual one")
	d.Unknown(Unknown{Name: "xMap_core", Modes: OffDesign, At: &c.xCore, Min: &c.xcMin, Max: &c.xcMax, Typical: 0.1,
		On: &c.separate})
	d.SwitchedResidual(&c.separate, "Wc_core", OffDesign, &c.errCore,
		"the corrected flow of the core's map is not the actual one")
	d.Fix(&c.x, &c.bpr, &c.chart.nc, &c.wcAll, &c.wcByp, &c.wcCore, &c.xCore, &b.pr, &b.eff, &k.pr, &k.eff)
	d.Guess(&c.ideal.T)
	d.Output("BPR", &c.ratio, unit.None, "bypass flow over core flow")
	d.Output("PR_core", &c.resCore.PR, unit.None, "pressure ratio of the core stream")
	d.Output("eff_core", &c.resCore.Eff, unit.None, "adiabatic efficiency of the core stream")
	d.Output("effPoly_core", &c.resCore.EffPoly, unit.None, "polytropic efficiency of the core stream")
	d.Output("xMap_core", &c.xCore, unit.None, "third coordinate on the core's own map")
	c.res.declare(d)
	c.chart.re.declareOutput(d)
}

// Check implements Checker.
func (c *Fan) Check() error {
	if c.prCore == 0 {
		c.prCore = c.pr
	}
	if c.effCore == 0 {
		c.effCore = c.eff
	}
	return nil
}

// SetMap implements MapUser.
func (c *Fan) SetMap(m *perfmap.Map, absolute bool) error {
	c.separate = c.coreChart.m != nil && m.Index("PR_core") < 0
	c.designPoint()
	if err := c.chart.set(m, absolute); err != nil {
		return err
	}
	c.xMin, c.xMax = bounds(c.chart.m)
	c.x = c.chart.m.Design.X
	if c.separate {
		c.coreChart.rescale()
	}
	return nil
}

// designPoint hands the maps the design point of the streams that they are for.
func (c *Fan) designPoint() {
	c.chart.wc = c.wcAll
	if !c.separate {
		return
	}
	c.chart.wc = c.wcByp
	c.coreChart.nc, c.coreChart.wc = c.chart.nc, c.wcCore
	to, from := &c.coreChart.streams[0], &c.chart.streams[1]
	to.pr, to.eff = from.pr, from.eff
}

// MakeMap implements MapUser.
func (c *Fan) MakeMap(name string) (*perfmap.Map, error) {
	b, k := &c.chart.streams[0], &c.chart.streams[1]
	shape := perfmap.CompressorShape{Name: name, PR: b.pr, Eff: b.eff}
	if c.coreChart.m == nil {
		shape.Core = &perfmap.CoreShape{PR: k.pr, Eff: k.eff}
	}
	return perfmap.MakeCompressor(shape)
}

// Edge implements MapUser.
func (c *Fan) Edge() perfmap.Edge {
	if c.separate {
		return c.chart.edge | c.coreChart.edge
	}
	return c.chart.edge
}

// coreOfFan is a fan as the user of its core's separate map.
type coreOfFan Fan

// SetMap implements MapUser.
func (c *coreOfFan) SetMap(m *perfmap.Map, absolute bool) error {
	if all := c.chart.m; all != nil && all.Index("PR_core") >= 0 {
		return fmt.Errorf("map %q has tables for the core already; leave map_core out, or give a map without PR_core",
			all.Name)
	}
	f := (*Fan)(c)
	if err := c.coreChart.set(m, absolute); err != nil {
		return err
	}
	c.separate = true
	f.designPoint()
	c.coreChart.rescale()
	c.xcMin, c.xcMax = bounds(c.coreChart.m)
	c.xCore = c.coreChart.m.Design.X
	return nil
}

// Map implements MapUser.
func (c *coreOfFan) Map() (*perfmap.Map, perfmap.Scale, bool) { return c.coreChart.Map() }

// MakeMap implements MapUser.
func (c *coreOfFan) MakeMap(name string) (*perfmap.Map, error) {
	k := &c.chart.streams[1]
	return perfmap.MakeCompressor(perfmap.CompressorShape{Name: name, PR: k.pr, Eff: k.eff})
}

// Edge implements MapUser.
func (c *coreOfFan) Edge() perfmap.Edge { return c.coreChart.edge }

// Eval implements Component.
func (c *Fan) Eval(x *Context) error {
	b, k := &c.chart.streams[0], &c.chart.streams[1]
	nc := *c.shaft.N / math.Sqrt(c.in.Theta())
	wc := c.in.Wc()
	c.chart.re.at(x.Mode, c.in)
	if x.Mode == Design {
		b.PR, b.Eff, k.PR, k.Eff = c.pr, c.eff, c.prCore, c.effCore
		b.pr, b.eff, k.pr, k.eff = c.pr, c.eff, c.prCore, c.effCore
		c.chart.nc = nc
		c.wcAll, c.wcCore, c.wcByp = wc, wc/(1+c.bpr), wc*c.bpr/(1+c.bpr)
		c.designPoint()
		c.x = c.chart.atDesign()
		if c.separate {
			c.xCore = c.coreChart.atDesign()
		}
	} else {
		c.lookup(nc, wc)
	}
	wCore := c.in.W / (1 + c.bpr)
	c.ratio = c.bpr
	areaFree(&c.part, c.in)
	c.part.W = wCore
	if err := k.compress(x.Gas, &c.part, &c.ideal, &c.core); err != nil {
		return err
	}
	power := c.core.W * (c.core.H - c.in.H)
	for _, bl := range c.bleeds {
		w, err := bl.leave(x.Gas, &c.part, &c.core)
		if err != nil {
			return err
		}
		power -= w * (c.core.H - bl.flow.H)
		c.core.W -= w
	}
	c.part.W = c.in.W - wCore
	if err := b.compress(x.Gas, &c.part, &c.ideal, &c.byp); err != nil {
		return err
	}
	c.res = compression{PR: b.PR, Eff: b.Eff, EffPoly: polytropic(c.in, &c.byp), Wc: wc, Nc: nc,
		NcMap: nc / c.chart.s.Nc, X: c.x, SMN: c.res.SMN, SMW: c.res.SMW}
	c.resCore = compression{PR: k.PR, Eff: k.Eff, EffPoly: polytropic(c.in, &c.core)}
	c.res.Power = power + c.byp.W*(c.byp.H-c.in.H)
	c.res.Windmilling = windmills(c.res.Power)
	c.shaft.Power = -c.res.Power
	return nil
}

// lookup reads the maps at corrected speed nc [rpm] and compares their flows with the actual ones; wc [kg/s] is the
// flow of the whole fan.
func (c *Fan) lookup(nc, wc float64) {
	got := c.chart.look(nc, c.x)
	if !c.separate {
		c.errWc = got/wc - 1
		return
	}
	c.errWc = got/(wc*c.bpr/(1+c.bpr)) - 1
	c.coreChart.re, c.coreChart.wear = c.chart.re, c.chart.wear
	c.errCore = c.coreChart.look(nc, c.xCore)/(wc/(1+c.bpr)) - 1
	from, to := &c.coreChart.streams[0], &c.chart.streams[1]
	to.PR, to.Eff, to.Work, to.byWork = from.PR, from.Eff, from.Work, from.byWork
}

// Margins implements Stalling.
func (c *Fan) Margins() {
	c.res.SMN, c.res.SMW = c.chart.margins(c.res.NcMap, c.x)
}

// SetResponse implements Responder. It holds for both streams, also where the core had a map by itself.
func (c *Fan) SetResponse(r Response, absolute bool) (err error) {
	c.separate = false
	c.designPoint()
	c.x, c.xMin, c.xMax, err = c.chart.respond(r, absolute)
	return err
}

// ResponseAxis implements Responder.
func (c *Fan) ResponseAxis() string { return compressorAxis }
