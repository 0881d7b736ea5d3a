package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Fan is a compressor with two outlet streams, split by the splitter behind it
// in the ratio BPR: each has its own pressure ratio and efficiency, both over
// the same corrected speed and the corrected flow of the whole fan.
//
// PR and eff are the bypass stream's, PR_core and eff_core the core's. A map
// without tables for the core serves both. For the equations of a stream see
// Compressor. Off design BPR is what the two streams downstream let through.
type Fan struct {
	pr, eff, prCore, effCore float64
	bpr                      float64
	mnC, mnB, areaC, areaB   float64
	x, xMin, xMax            float64
	chart                    chart

	in          *flow.Station
	core, byp   flow.Station
	part, ideal flow.Station
	shaft       Coupling

	errWc   float64
	res     compression
	resCore compression
	ratio   float64
}

var fanKind = kind{
	typ: config.Type{
		Name: "fan", Doc: "Fan with a bypass and a core outlet stream.",
		Ports: []config.Port{
			flowIn, drivenShaft,
			{Name: "core", Kind: config.Flow, Dir: config.Out, Doc: "inner stream"},
			{Name: "bypass", Kind: config.Flow, Dir: config.Out, Doc: "outer stream"},
		},
		Params: []config.Param{
			required(number("PR", unit.None, nil, 1, 10, "pressure ratio of the bypass stream at design")),
			required(number("eff", unit.None, nil, 0.01, 1, "adiabatic efficiency of the bypass stream at design")),
			number("PR_core", unit.None, nil, 1, 10, "pressure ratio of the core stream at design; default: as PR"),
			number("eff_core", unit.None, nil, 0.01, 1, "adiabatic efficiency of the core stream at design; default: as eff"),
			required(number("BPR", unit.None, nil, 1e-6, 200, "bypass flow over core flow at design")),
			mapParam, placeParams[0], placeParams[1], placeParams[2],
			number("MN_core", unit.None, 0.0, 0, 1, "Mach number of the core exit at design"),
			number("MN_bypass", unit.None, 0.0, 0, 1, "Mach number of the bypass exit at design"),
		},
		Outputs: append([]config.Output{
			{Name: "BPR", Dim: unit.None, Doc: "bypass flow over core flow"},
			{Name: "PR_core", Dim: unit.None, Doc: "pressure ratio of the core stream"},
			{Name: "eff_core", Dim: unit.None, Doc: "adiabatic efficiency of the core stream"},
			{Name: "effPoly_core", Dim: unit.None, Doc: "polytropic efficiency of the core stream"},
		}, compressionOutputs...),
	},
	make: func() Component {
		return &Fan{chart: chart{flow: "Wc", streams: []stream{{prTable: "PR", effTable: "eff"}, {prTable: "PR_core", effTable: "eff_core"}}}}
	},
}

// Declare implements Component.
func (c *Fan) Declare(d *Declaration) {
	d.DesignNumber("PR", &c.pr)
	d.DesignNumber("eff", &c.eff)
	d.DesignNumber("PR_core", &c.prCore)
	d.DesignNumber("eff_core", &c.effCore)
	d.DesignNumber("BPR", &c.bpr)
	d.DesignNumber("MN_core", &c.mnC)
	d.DesignNumber("MN_bypass", &c.mnB)
	d.Maps = append(d.Maps, MapSlot{"map", c})
	c.chart.declare(d)
	d.In("in", &c.in)
	d.OutSized("bypass", &c.byp, &c.mnB, &c.areaB)
	d.OutSized("core", &c.core, &c.mnC, &c.areaC)
	d.Shaft("shaft", &c.shaft)
	d.Unknown(Unknown{Name: "xMap", Modes: OffDesign, At: &c.x, Min: &c.xMin, Max: &c.xMax, Typical: 0.1})
	d.Unknown(Unknown{Name: "BPR", Modes: OffDesign, At: &c.bpr, Min: &minBPR, Typical: 1})
	d.Residual("Wc", OffDesign, &c.errWc, "the map's corrected flow is not the actual one")
	b, k := &c.chart.streams[0], &c.chart.streams[1]
	d.Fix(&c.x, &c.bpr, &c.chart.nc, &c.chart.wc, &b.pr, &b.eff, &k.pr, &k.eff)
	c.res.outputs(d)
	d.Output("PR_core", &c.resCore.PR)
	d.Output("eff_core", &c.resCore.Eff)
	d.Output("effPoly_core", &c.resCore.EffPoly)
	d.Output("BPR", &c.ratio)
}

// Check completes the parameters.
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
	if err := c.chart.set(m, absolute); err != nil {
		return err
	}
	c.xMin, c.xMax = bounds(c.chart.m)
	c.x = c.chart.m.Design.X
	return nil
}

// Map implements MapUser.
func (c *Fan) Map() (*perfmap.Map, perfmap.Scale, bool) {
	return c.chart.m, c.chart.s, c.chart.absolute
}

// MakeMap implements MapUser.
func (c *Fan) MakeMap(name string) (*perfmap.Map, error) {
	b, k := &c.chart.streams[0], &c.chart.streams[1]
	return perfmap.MakeCompressor(perfmap.CompressorShape{Name: name, PR: b.pr, Eff: b.eff, Core: &perfmap.CoreShape{PR: k.pr, Eff: k.eff}})
}

// Edge implements MapUser.
func (c *Fan) Edge() perfmap.Edge { return c.chart.edge }

// Eval implements Component.
func (c *Fan) Eval(x *Context) error {
	b, k := &c.chart.streams[0], &c.chart.streams[1]
	nc := *c.shaft.N / math.Sqrt(c.in.Theta())
	wc := c.in.Wc()
	if x.Mode == Design {
		b.PR, b.Eff, k.PR, k.Eff = c.pr, c.eff, c.prCore, c.effCore
		b.pr, b.eff, k.pr, k.eff = c.pr, c.eff, c.prCore, c.effCore
		c.chart.nc, c.chart.wc = nc, wc
		c.x = c.chart.atDesign()
	} else {
		got := c.chart.look(nc, c.x)
		c.errWc = got/wc - 1
	}
	wCore := c.in.W / (1 + c.bpr)
	c.ratio = c.bpr
	areaFree(&c.part, c.in)
	c.part.W = wCore
	if err := compress(x.Gas, &c.part, &c.ideal, &c.core, k.PR, k.Eff); err != nil {
		return err
	}
	c.part.W = c.in.W - wCore
	if err := compress(x.Gas, &c.part, &c.ideal, &c.byp, b.PR, b.Eff); err != nil {
		return err
	}
	c.res = compression{PR: b.PR, Eff: b.Eff, EffPoly: polytropic(c.in, &c.byp), Wc: wc, Nc: nc, NcMap: nc / c.chart.s.Nc, X: c.x, SMN: c.res.SMN, SMW: c.res.SMW}
	c.resCore = compression{PR: k.PR, Eff: k.Eff, EffPoly: polytropic(c.in, &c.core)}
	c.res.Power = c.core.W*(c.core.H-c.in.H) + c.byp.W*(c.byp.H-c.in.H)
	c.shaft.Power = -c.res.Power
	return nil
}

// Margins fills in the stall margins; they are no part of the equations.
func (c *Fan) Margins() {
	c.res.SMN, c.res.SMW = c.chart.margins(c.res.NcMap, c.x)
}
