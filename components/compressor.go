package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Compressor raises the pressure of one stream.
//
//	Pt_out = PR Pt_in
//	ht_out = ht_in + (h(s_in, Pt_out) - ht_in)/eff
//	power  = W_in (ht_out - ht_in) - sum W_b (ht_out - h_b)
//
// A bleed leaves after the fraction `work` of the enthalpy rise and `pressure` of the pressure rise: h_b = ht_in + work
// (ht_out - ht_in), and so for Pt_b.
//
// At design PR and eff are given. Off design the map gives PR, eff and corrected flow over corrected speed and the
// unknown third coordinate; the residual is the difference between the map's flow and the actual flow.
//
// In a transient its metal may soak heat from the outlet stream; see soak.
type Compressor struct {
	pr, eff, effPoly float64
	poly             bool
	mn, area         float64
	x                float64 // map coordinate along the speed line
	chart
	xMin, xMax float64
	soak       soak

	in     *flow.Station
	out    flow.Station
	shaft  Coupling
	bleeds []*Bleed
	ideal  flow.Station

	errWc float64
	res   compression
}

// compression holds the results of a compression, for output.
type compression struct {
	PR, Eff, EffPoly float64
	Wc, Nc           float64
	SMN, SMW         float64 // NaN where the map has no stall line
	Power            float64
	Windmilling      float64
	NcMap, X         float64
}

const mapDoc = "performance map; without one a generic map is made from the design point"

func newCompressor() Component {
	return &Compressor{chart: chart{flow: "Wc", streams: []stream{{prTable: "PR", effTable: "eff"}}}}
}

// Declare implements Component.
func (c *Compressor) Declare(d *Declaration) {
	s := &c.chart.streams[0]
	d.Describe("compressor", "Compressor with one outlet stream and bleeds.")
	d.Also("lpc", "ipc", "hpc", "booster")
	d.Zoomable()
	d.Number("PR", &c.pr, unit.None, "pressure ratio at design").Within(1, 100).Required().DesignOnly()
	d.Number("eff", &c.eff, unit.None, "adiabatic efficiency at design").Within(0.01, 1).DesignOnly()
	d.Number("effPoly", &c.effPoly, unit.None, "polytropic efficiency at design, instead of eff").Within(0.01,
		1).DesignOnly().Given(&c.poly)
	d.Map("map", perfmap.Compressor, c, mapDoc)
	c.chart.declare(d)
	d.exitMN(&c.mn)
	d.In("in", &c.in, "flow in")
	d.Out("out", &c.out, "flow out").Sized(&c.mn, &c.area)
	d.DrivenBy("shaft", &c.shaft)
	d.BleedsOut("bleeds", &c.bleeds, "bleeds out")
	d.Unknown(Unknown{Name: "xMap", Modes: OffDesign, At: &c.x, Min: &c.xMin, Max: &c.xMax, Typical: 0.1})
	d.Residual("Wc", OffDesign, &c.errWc, "the map's corrected flow is not the actual one")
	d.Fix(&c.x, &c.chart.nc, &c.chart.wc, &s.pr, &s.eff)
	d.Guess(&c.ideal.T)
	c.res.declare(d)
	c.chart.re.declareOutput(d)
	c.soak.declare(d)
	d.Compresses = true
}

func (r *compression) declare(d *Declaration) {
	d.Place = MapPlace{&r.Wc, &r.PR, &r.Eff}
	d.Margins = []*float64{&r.SMN, &r.SMW}
	d.Output("PR", &r.PR, unit.None, "pressure ratio")
	d.Output("eff", &r.Eff, unit.None,
		"adiabatic efficiency; below 0 where power is taken and the pressure falls, none where it windmills")
	d.Output("effPoly", &r.EffPoly, unit.None, "polytropic efficiency; none where the pressure falls")
	d.Output("Wc", &r.Wc, unit.MassFlow, "corrected inlet flow")
	d.Output("Nc", &r.Nc, unit.Speed, "corrected speed")
	d.Output("SMN", &r.SMN, unit.None, "stall margin at constant speed, percent")
	d.Output("SMW", &r.SMW, unit.None, "stall margin at constant flow, percent")
	d.Output("power", &r.Power, unit.Power, "power taken from the shaft")
	d.Output("windmilling", &r.Windmilling, unit.None, "1 if the stream drives the shaft: power is below 0")
	d.Output("NcMap", &r.NcMap, unit.None, "speed coordinate on the map")
	d.Output("xMap", &r.X, unit.None, "third coordinate on the map (R-line or beta)")
}

// Check implements Checker.
func (c *Compressor) Check() error {
	if (c.eff != 0) == c.poly {
		return fmt.Errorf("give one of eff and effPoly")
	}
	return c.soak.check()
}

// SetMap implements MapUser.
func (c *Compressor) SetMap(m *perfmap.Map, absolute bool) error {
	if err := c.chart.set(m, absolute); err != nil {
		return err
	}
	c.xMin, c.xMax = bounds(c.chart.m)
	c.x = c.chart.m.Design.X
	return nil
}

// MakeMap implements MapUser.
func (c *Compressor) MakeMap(name string) (*perfmap.Map, error) {
	s := &c.chart.streams[0]
	return perfmap.MakeCompressor(perfmap.CompressorShape{Name: name, PR: s.pr, Eff: s.eff})
}

// bounds lets the third coordinate leave the map: extrapolation is reported, and a
// solver on its way may need it. Where speed lines are nearly points, as at the top
// of many maps, a small change of flow is many widths of the map; and a compressor that
// windmills is as far out on the side of choke.
func bounds(m *perfmap.Map) (lo, hi float64) {
	lo, hi = m.X[0], m.X[len(m.X)-1]
	width := hi - lo
	if m.ChokesHigh() {
		return lo - 2*width, hi + 10*width
	}
	return lo - 10*width, hi + 2*width
}

// Eval implements Component.
func (c *Compressor) Eval(x *Context) error {
	s := &c.chart.streams[0]
	nc := *c.shaft.N / math.Sqrt(c.in.Theta())
	wc := c.in.Wc()
	c.chart.re.at(x.Mode, c.in)
	if x.Mode == Design {
		eff := c.eff
		if c.poly {
			var err error
			if eff, err = adiabatic(x.Gas, c.in, c.pr, c.effPoly); err != nil {
				return err
			}
		}
		s.PR, s.Eff = c.pr, eff
		s.pr, s.eff = c.pr, eff
		c.chart.nc, c.chart.wc = nc, wc
		c.x = c.chart.atDesign()
	} else {
		got := c.chart.look(nc, c.x)
		c.errWc = got/wc - 1
	}
	if err := s.compress(x.Gas, c.in, &c.ideal, &c.out); err != nil {
		return err
	}
	c.res.PR, c.res.Eff, c.res.Wc, c.res.Nc = s.PR, s.Eff, wc, nc
	c.res.EffPoly = polytropic(c.in, &c.out)
	c.res.NcMap, c.res.X = nc/c.chart.s.Nc, c.x
	rise := c.out.H - c.in.H
	power := c.in.W * rise
	c.out.W = c.in.W
	for _, b := range c.bleeds {
		w, err := b.leave(x.Gas, c.in, &c.out)
		if err != nil {
			return err
		}
		power -= w * (c.out.H - b.flow.H)
		c.out.W -= w
	}
	c.res.Power = power
	c.res.Windmilling = windmills(power)
	c.shaft.Power = -power
	return c.soak.take(x, &c.out)
}

// Margins implements Stalling.
func (c *Compressor) Margins() {
	c.res.SMN, c.res.SMW = c.chart.margins(c.res.NcMap, c.x)
}

// compress sets the outlet of an adiabatic compression. For a map with work instead of efficiency, PR may be below 1
// and the work may have either sign,
//
//	ht_out = ht_in + w dh_ideal/(PR^k - 1)
//
// The result is never less than dh_ideal, so that the entropy rises.
func (s *stream) compress(g gas.Model, in, ideal, out *flow.Station) error {
	ideal.Comp, out.Comp = in.Comp, in.Comp
	if err := ideal.SetSP(g, in.S, in.P*s.PR); err != nil {
		return fmt.Errorf("compression to PR %.6g: %w", s.PR, err)
	}
	out.W = in.W
	if out.T == 0 {
		out.T = ideal.T
	}
	if s.byWork {
		return out.SetHP(g, in.H+s.Work*perWork(in, ideal), in.P*s.PR)
	}
	if !(s.Eff > 0) {
		return fmt.Errorf("efficiency is %.6g; the map was left too far behind", s.Eff)
	}
	return out.SetHP(g, in.H+(ideal.H-in.H)/s.Eff, in.P*s.PR)
}

// perWork is the enthalpy of one unit of the map's work: that of the ideal compression over PR^k - 1, k = 0.4/1.4. Near
// PR = 1 both vanish; with kr = R/cp it is R Tt/k (1 + (kr - k)/2 ln PR).
func perWork(in, ideal *flow.Station) float64 {
	const k = 0.4 / 1.4
	ln := math.Log(ideal.P / in.P)
	if math.Abs(ln) < 1e-3 {
		return in.R * in.T / k * (1 + (in.R/in.Cp-k)/2*ln)
	}
	return (ideal.H - in.H) / math.Expm1(k*ln)
}

// windmills is 1 for a compressor that gives power, and 0 for a compressor that takes power.
func windmills(power float64) float64 {
	if power < 0 {
		return 1
	}
	return 0
}

// polytropic is the polytropic efficiency of a compression, R ln PR/(R ln PR + s_out - s_in), with the gas constant of
// the inlet. It is NaN if the pressure falls.
func polytropic(in, out *flow.Station) float64 {
	r := in.R * math.Log(out.P/in.P)
	if r < 0 {
		return math.NaN()
	}
	return r / (r + out.S - in.S)
}

// adiabatic converts a polytropic efficiency to the adiabatic efficiency.
func adiabatic(g gas.Model, in *flow.Station, pr, poly float64) (float64, error) {
	ideal, err := g.SP(in.Comp, in.S, in.P*pr, 0)
	if err != nil {
		return 0, err
	}
	actual, err := g.SP(in.Comp, in.S+in.R*math.Log(pr)*(1/poly-1), in.P*pr, ideal.T)
	if err != nil {
		return 0, err
	}
	return (ideal.H - in.H) / (actual.H - in.H), nil
}

// SetResponse implements Responder.
func (c *Compressor) SetResponse(r Response, absolute bool) (err error) {
	c.x, c.xMin, c.xMax, err = c.chart.respond(r, absolute)
	return err
}

// ResponseAxis implements Responder.
func (c *Compressor) ResponseAxis() string { return compressorAxis }
