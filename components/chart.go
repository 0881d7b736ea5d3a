package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// chart is a component's place on its performance map: the map, the component's
// design point in the map's terms, and the scalars that bring both together.
//
//	s_Nc = Nc/NcMap, s_Wc = Wc/WcMap, s_PR = (PR-1)/(PRmap-1), s_eff = eff/effMap
//
// The scalars follow from the design point each time the map is exchanged, so a
// zoomed map takes the place of another without a new design solve.
type chart struct {
	m        *perfmap.Map
	absolute bool
	flow     string // "Wc" or "Wp"
	streams  []stream

	place    perfmap.Point // on the map, of the design point, where given
	hasNc    bool
	hasX     bool
	hasAlpha bool

	alpha    float64 // stator setting off design
	hasStart bool    // the file gives it
	turned   float64 // that of the last lookup, less the design point's
	re       reynolds
	wear     wear

	nc, wc float64 // corrected speed [rpm] and flow [kg/s] at the design point
	work   float64 // of a turbine at the design point, J/(kg K)
	sWork  float64 // design work over the map's work, for a map over work
	s      perfmap.Scale
	iFlow  int
	values []perfmap.Value
	edge   perfmap.Edge

	response  Response // in place of m; nil: none
	responded Responded

	corners []perfmap.Corner
	beyond  []perfmap.Stream
}

// stream is one outlet stream of a charted component.
type stream struct {
	prTable, effTable string
	pr, eff           float64 // at the design point
	iPR, iEff         int
	sPR, sEff         float64
	PR, Eff           float64 // of the last lookup
	Work              float64 // of a compressor, where byWork; see [perfmap.Stream]
	byWork            bool
}

// set replaces the map. Tables that the map lacks for a second stream are taken from the first.
func (c *chart) set(m *perfmap.Map, absolute bool) error {
	m, err := c.placed(m)
	if err != nil {
		return err
	}
	c.m, c.absolute, c.response = m, absolute, nil
	c.values = make([]perfmap.Value, len(m.Tables))
	c.corners = make([]perfmap.Corner, len(m.Tables))
	c.beyond = make([]perfmap.Stream, len(c.streams))
	c.iFlow = m.Index(c.flow)
	for i := range c.streams {
		s := &c.streams[i]
		if s.iPR = m.Index(s.prTable); s.iPR < 0 {
			s.iPR = m.Index("PR")
		}
		if s.iEff = m.Index(s.effTable); s.iEff < 0 {
			s.iEff = m.Index("eff")
		}
	}
	if !c.hasStart {
		c.alpha = m.Design.Alpha
	}
	c.rescale()
	return nil
}

// Map implements MapUser.
func (c *chart) Map() (*perfmap.Map, perfmap.Scale, bool) { return c.m, c.s, c.absolute }

// Edge implements MapUser.
func (c *chart) Edge() perfmap.Edge { return c.edge }

// Response implements Responder.
func (c *chart) Response() (Response, bool) { return c.response, c.absolute }

// Setting implements Settable.
func (c *chart) Setting() float64 { return c.turned }

// declare adds the parameters that go with a map.
func (c *chart) declare(d *Declaration) {
	d.Number("map_Nc", &c.place.Nc, unit.None,
		"speed on the map that is the design speed; default: the map's own").Within(0, 1e6).DesignOnly().Given(&c.hasNc)
	d.Number("map_x", &c.place.X, unit.None,
		"third coordinate of the design point on the map (R-line, beta, pressure ratio); default: the map's own").
		Within(0, 1e6).DesignOnly().Given(&c.hasX)
	d.Number("map_alpha", &c.place.Alpha, unit.None, "stator setting on the map; default: the map's own").Within(-1e3,
		1e3).DesignOnly().Given(&c.hasAlpha)
	d.Number("alpha", &c.alpha, unit.None,
		"setting of stators, vanes or blades off design, in the map's terms, deg where a solver's runs give it; "+
			"default: that of the design point").Within(-1e3, 1e3).Given(&c.hasStart)
	c.re.declare(d)
	c.wear.declare(d, c.streams[0].prTable != "")
}

// placed returns the map with the design point at the component's place. A map made by zooming already has its design
// point.
func (c *chart) placed(m *perfmap.Map) (*perfmap.Map, error) {
	if m.Origin != nil && m.Origin.Method == "lines" {
		return m, nil
	}
	at := m.Design
	if c.hasNc {
		at.Nc = c.place.Nc
	}
	if c.hasX {
		at.X = c.place.X
	}
	if c.hasAlpha {
		at.Alpha = c.place.Alpha
	}
	if at == m.Design {
		return m, nil
	}
	return m.WithDesign(at)
}

// rescale computes the scalars from the design point.
func (c *chart) rescale() {
	c.sWork = 1
	if c.absolute {
		c.s = perfmap.Scale{Nc: 1, Wc: 1, PR: 1, Eff: 1}
		for i := range c.streams {
			c.streams[i].sPR, c.streams[i].sEff = 1, 1
		}
		return
	}
	d := c.m.Design
	c.m.At(d.Alpha, d.Nc, d.X, c.values)
	c.s.Nc = c.nc / d.Nc
	c.s.Wc = c.wc / c.values[c.iFlow].V
	for i := range c.streams {
		s := &c.streams[i]
		pr := d.X // a turbine's third axis
		if s.iPR >= 0 {
			pr = c.values[s.iPR].V
		}
		s.sPR = (s.pr - 1) / (pr - 1)
		if c.overWork() {
			s.sPR, c.sWork = 1, c.work/d.X
		}
		s.sEff = s.eff / c.values[s.iEff].V
	}
	c.s.PR, c.s.Eff = c.streams[0].sPR, c.streams[0].sEff
}

// atDesign copies the design point and returns its third coordinate, 0 without a map.
func (c *chart) atDesign() float64 {
	c.edge, c.turned = 0, 0
	for i := range c.streams {
		c.streams[i].byWork = false
	}
	if c.m == nil {
		c.s = perfmap.Scale{Nc: c.nc}
		return 0
	}
	c.rescale()
	return c.m.Design.X
}

// margins returns the stall margins in percent, NaN without a stall line.
func (c *chart) margins(nc, x float64) (smn, smw float64) {
	if c.response != nil {
		return c.marginsOfResponse(nc, x)
	}
	if c.m == nil {
		return math.NaN(), math.NaN()
	}
	smn, smw, _ = c.m.StallMargins(c.alpha, nc, x)
	return smn, smw
}

// look evaluates the map at corrected speed nc [rpm] and third coordinate x and
// returns the corrected flow [kg/s]; the streams are set. The Reynolds number must have been.
func (c *chart) look(nc, x float64) (wc float64) {
	if c.response != nil {
		return c.lookResponse(nc, x)
	}
	nc /= c.s.Nc
	c.turned = c.setting()
	c.edge = c.m.At(c.alpha, nc, x, c.values)
	for i := range c.streams {
		s := &c.streams[i]
		if s.iPR >= 0 {
			s.PR = 1 + (1-c.wear.pr)*s.sPR*(c.values[s.iPR].V-1)
		}
		s.Eff = c.re.eff((1 - c.wear.eff) * s.sEff * c.values[s.iEff].V)
		s.byWork = false
	}
	wc = (1 - c.wear.flow) * c.re.flow * c.s.Wc * c.values[c.iFlow].V
	if c.m.Kind == perfmap.Turbine {
		c.lookDriven(nc, x, &wc)
	} else {
		c.lookBeyond(nc, x, &wc)
	}
	return wc
}

// lookBeyond continues flow and streams of a compressor beyond its map; nc is the map's.
func (c *chart) lookBeyond(nc, x float64, wc *float64) {
	b, ok := c.m.Beyond(c.alpha, nc, x, c.values, c.edge, c.corners)
	if !ok {
		return
	}
	for i := range c.streams {
		s := &c.streams[i]
		gain := (1 - c.wear.pr) * s.sPR
		c.beyond[i] = perfmap.Stream{PR: s.PR, Eff: s.Eff, PRAt: c.corners[s.iPR].Affine(gain, 1-gain),
			EffAt: c.effAt(s)}
	}
	b.At(wc, c.flowAt(), c.beyond)
	for i := range c.streams {
		s, from := &c.streams[i], &c.beyond[i]
		s.PR, s.Eff, s.Work, s.byWork = from.PR, from.Eff, from.Work, from.ByWork
	}
}

// lookDriven continues flow and efficiency of a turbine below its map; nc is the map's.
func (c *chart) lookDriven(nc, x float64, wp *float64) {
	s := &c.streams[0]
	if d, ok := c.m.Driven(c.alpha, nc, x, s.sPR, c.corners); ok {
		d.At(wp, &s.Eff, c.flowAt(), c.effAt(s))
	}
	if c.edge != 0 {
		s.Eff = min(s.Eff, 1)
	}
}

// flowAt is the corner of the flow, in the engine's scale.
func (c *chart) flowAt() perfmap.Corner {
	return c.corners[c.iFlow].Affine((1-c.wear.flow)*c.re.flow*c.s.Wc, 0)
}

// effAt is the corner of a stream's efficiency, in the engine's scale.
func (c *chart) effAt(s *stream) perfmap.Corner {
	return c.corners[s.iEff].Affine(c.re.loss*(1-c.wear.eff)*s.sEff, 1-c.re.loss)
}

// workAxis is the name of a turbine map's third axis that is corrected work.
const workAxis = "dhqT"

// overWork reports whether the map's third axis is corrected work.
func (c *chart) overWork() bool { return c.response == nil && c.m != nil && c.m.XName == workAxis }

// lookWork evaluates a map over corrected work where its efficiency and the ideal
// work over temperature, J/(kg K), agree with the coordinate, by Newton's method
// from an efficiency of 0.9. It returns the flow [kg/s] and the coordinate.
func (c *chart) lookWork(nc, ideal float64) (wc, x float64) {
	s := &c.streams[0]
	x = 0.9 * ideal / c.sWork
	for range 30 {
		c.look(nc, x)
		slope := c.re.loss * (1 - c.wear.eff) * s.sEff * c.values[s.iEff].DX
		d := (s.Eff*ideal - c.sWork*x) / (c.sWork - slope*ideal)
		d = max(-0.5*x, min(0.5*c.m.Design.X, d))
		x += d
		if math.Abs(d) <= 1e-14*x {
			break
		}
	}
	return c.look(nc, x), x
}

// wear is the loss of a map's values by damage, dirt and age off design, as factors on its scalars, as in engine
// monitoring (Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 11.8): of a map with scalars s_Wc, s_PR and
// s_eff
//
//	s_Wc (1 - wear_Wc), s_PR (1 - wear_PR) on PR - 1, s_eff (1 - wear_eff)
//
// The stall line is worn as the speed lines are. In a transient they model sudden damage, such as a bird in the fan.
type wear struct{ flow, pr, eff float64 }

// declare adds the parameters; a turbine's pressure ratio is not its map's.
func (w *wear) declare(d *Declaration, pr bool) {
	d.Number("wear_Wc", &w.flow, unit.None, "share of the map's flow that damage takes away off design").Default(
		0).Within(-0.5, 0.9)
	if pr {
		d.Number("wear_PR", &w.pr, unit.None, "share of the map's PR - 1 that damage takes away off design").Default(
			0).Within(-0.5, 0.9)
	}
	d.Number("wear_eff", &w.eff, unit.None, "share of the map's efficiency that damage takes away off design").Default(
		0).Within(-0.5, 0.9)
}
