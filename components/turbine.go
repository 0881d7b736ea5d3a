package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Turbine expands the flow and the cooling air that joins it.
//
//	station 41: inlet flow and non-chargeable cooling, mixed at Pt_in
//	Pt_out = Pt_in/PR
//	power  = eff (W41 (h41 - h(s41, Pt_out)) + sum W_b (h_b - h(s_b, Pt_out)))
//	W_out ht_out = W41 h41 + sum W_b h_b - power
//
// Every chargeable stream b expands from the pressure at which it enters, Pt_b = Pt_out + enters (Pt_in - Pt_out), with
// its enthalpy and the same efficiency (the formula of NPSS and pyCycle). At enters = 0 it does no work.
//
// The pressure ratio is unknown. At design the shaft's power balance finds it, unless it is given. Off design the map's
// flow at that pressure ratio and corrected speed must equal the actual flow. A map over corrected work (third axis
// dhqT) is read where its efficiency gives that work,
//
//	s_x x = eff(x) (h41 - h(s41, Pt_out))/Tt41
//
// with the scale s_x from the design point. In a transient its metal may soak heat from the outlet stream; see soak.
type Turbine struct {
	pr, eff  float64
	given    bool
	mn, area float64
	chart

	in      *flow.Station
	rotor   flow.Station // station 41
	out     flow.Station
	ideal   flow.Station
	shaft   Coupling
	cooling []*Bleed
	soak    soak

	errWp float64
	res   expansion
}

type expansion struct {
	PR, Eff, EffPoly, Wp, Np, Power, NcMap, X float64
	HqT, CoolingMargin, Driven                float64
}

var minTurbinePR, minDrivenPR, maxTurbinePR = 1.0001, 1.000001, 100.0

func newTurbine() Component {
	return &Turbine{pr: 1.5, chart: chart{flow: "Wp", streams: []stream{{effTable: "eff"}}}}
}

// Declare implements Component.
func (c *Turbine) Declare(d *Declaration) {
	s := &c.chart.streams[0]
	d.Describe("turbine", "Turbine with cooling flows.")
	d.Also("hpt", "ipt", "lpt", "pt", "free_turbine", "power_turbine")
	d.Zoomable()
	d.Number("eff", &c.eff, unit.None, "adiabatic efficiency at design").Within(0.01, 1).Required().DesignOnly()
	d.Number("PR", &c.pr, unit.None,
		"pressure ratio at design; default: from the balance of the shaft").Within(minTurbinePR,
		maxTurbinePR).DesignOnly().Given(&c.given)
	d.Map("map", perfmap.Turbine, c, mapDoc)
	c.chart.declare(d)
	d.exitMN(&c.mn)
	d.In("in", &c.in, "flow in")
	d.Out("out", &c.out, "flow out").Sized(&c.mn, &c.area)
	d.Drives("shaft", &c.shaft)
	d.BleedsIn("cooling", &c.cooling, "cooling flows in")
	d.Ahead("rotor", &c.rotor, "rotor inlet, after the non-chargeable cooling flows (station 41)")
	d.Unknown(Unknown{Name: "PR", Modes: OffDesign, At: &c.pr, Min: &minDrivenPR, Max: &maxTurbinePR, Typical: 1})
	d.Residual("Wp", OffDesign, &c.errWp, "the map's flow is not the actual one")
	d.Fix(&c.pr, &c.chart.nc, &c.chart.wc, &c.chart.work, &s.pr, &s.eff)
	d.Guess(&c.ideal.T)
	d.Place = MapPlace{&c.res.Wp, &c.res.PR, &c.res.Eff}
	d.Output("PR", &c.res.PR, unit.None, "pressure ratio")
	d.Output("eff", &c.res.Eff, unit.None, "adiabatic efficiency")
	d.Output("effPoly", &c.res.EffPoly, unit.None, "polytropic efficiency, without the cooling flows")
	d.Output("Wc", &c.res.Wp, unit.MassFlow, "corrected flow at the rotor inlet")
	d.Output("Nc", &c.res.Np, unit.Speed, "corrected speed at the rotor inlet")
	d.Output("power", &c.res.Power, unit.Power, "power given to the shaft")
	d.Output("driven", &c.res.Driven, unit.None, "1 if the shaft drives the turbine: power is below 0")
	d.Output("dhqT", &c.res.HqT, unit.SpecificEntropy, "work per kg of rotor inlet flow over rotor inlet temperature")
	d.Output("cooling_margin", &c.res.CoolingMargin, unit.None,
		"smallest ratio, less 1, of a cooling flow's total pressure to that at its entry; NaN without cooling flows")
	d.Output("NcMap", &c.res.NcMap, unit.None, "speed coordinate on the map")
	d.Output("xMap", &c.res.X, unit.None, "third coordinate on the map (pressure ratio or work)")
	c.chart.re.declareOutput(d)
	c.soak.declare(d)
}

// Check implements Checker.
func (c *Turbine) Check() error { return c.soak.check() }

// BalancedByShaft implements ShaftBalancer.
func (c *Turbine) BalancedByShaft() (Unknown, bool) {
	return Unknown{Name: "PR", Modes: Design, At: &c.pr, Min: &minTurbinePR, Max: &maxTurbinePR, Typical: 1}, !c.given
}

// SetMap implements MapUser.
func (c *Turbine) SetMap(m *perfmap.Map, absolute bool) error { return c.chart.set(m, absolute) }

// MakeMap implements MapUser.
func (c *Turbine) MakeMap(name string) (*perfmap.Map, error) {
	s := &c.chart.streams[0]
	return perfmap.MakeTurbine(perfmap.TurbineShape{Name: name, PR: s.pr, Eff: s.eff})
}

// Eval implements Component.
func (c *Turbine) Eval(x *Context) error {
	if err := c.mixAhead(x.Gas); err != nil {
		return err
	}
	s := &c.chart.streams[0]
	np := *c.shaft.N / math.Sqrt(c.rotor.Theta())
	wp := c.rotor.Wc()
	c.chart.re.at(x.Mode, &c.rotor)
	if !(c.pr > 1) {
		return fmt.Errorf("pressure ratio %.6g is not above 1", c.pr)
	}
	s.PR = c.pr
	if x.Mode == Design {
		s.Eff, s.eff, s.pr = c.eff, c.eff, c.pr
		c.chart.nc, c.chart.wc = np, wp
	} else {
		got, err := c.lookup(x.Gas, s, np)
		if err != nil {
			return err
		}
		c.errWp = got/wp - 1
	}
	power, err := c.expand(x.Gas, s)
	if err != nil {
		return err
	}
	if x.Mode == Design {
		c.chart.work = s.Eff * (c.rotor.H - c.ideal.H) / c.rotor.T
		c.res.X = c.chart.atDesign()
	}
	c.res.PR, c.res.Eff, c.res.Wp, c.res.Np = s.PR, s.Eff, wp, np
	c.res.NcMap = np / c.chart.s.Nc
	c.res.Power = power
	c.res.Driven = windmills(power)
	c.res.HqT = power / c.rotor.W / c.rotor.T
	c.res.CoolingMargin = c.coolingMargin()
	c.shaft.Power = power
	return c.soak.take(x, &c.out)
}

// coolingMargin is the excess of the weakest cooling flow's pressure over the pressure at its entry; a negative value
// means reversed flow.
func (c *Turbine) coolingMargin() float64 {
	margin := math.Inf(1)
	for _, b := range c.cooling {
		if b.flow.W == 0 {
			continue
		}
		at := c.out.P + b.enters*(c.rotor.P-c.out.P)
		if b.nonchargeable {
			at = c.rotor.P
		}
		margin = min(margin, b.flow.P/at-1)
	}
	if math.IsInf(margin, 1) {
		return math.NaN()
	}
	return margin
}

// lookup reads the map at the present pressure ratio and returns its flow.
func (c *Turbine) lookup(g gas.Model, s *stream, np float64) (float64, error) {
	if !c.chart.overWork() {
		c.res.X = 1 + (c.pr-1)/s.sPR
		return c.chart.look(np, c.res.X), nil
	}
	c.ideal.Comp = c.rotor.Comp
	if err := c.ideal.SetSP(g, c.rotor.S, c.rotor.P/c.pr); err != nil {
		return 0, fmt.Errorf("expansion by PR %.6g: %w", c.pr, err)
	}
	var wp float64
	wp, c.res.X = c.chart.lookWork(np, (c.rotor.H-c.ideal.H)/c.rotor.T)
	return wp, nil
}

// mixAhead sets station 41.
func (c *Turbine) mixAhead(g gas.Model) error {
	areaFree(&c.rotor, c.in)
	h := c.in.W * c.in.H
	for _, b := range c.cooling {
		if b.nonchargeable {
			c.rotor.Comp = gas.Mix(c.rotor.Comp, c.rotor.W, b.flow.Comp, b.flow.W)
			c.rotor.W += b.flow.W
			h += b.flow.W * b.flow.H
		}
	}
	return c.rotor.SetHP(g, h/c.rotor.W, c.in.P)
}

// expand sets the outlet and returns the power.
func (c *Turbine) expand(g gas.Model, s *stream) (float64, error) {
	pOut := c.rotor.P / s.PR
	c.ideal.Comp = c.rotor.Comp
	if err := c.ideal.SetSP(g, c.rotor.S, pOut); err != nil {
		return 0, fmt.Errorf("expansion by PR %.6g: %w", s.PR, err)
	}
	dh := c.rotor.H - c.ideal.H
	power := s.Eff * c.rotor.W * dh
	c.out.Comp = c.rotor.Comp
	c.res.EffPoly = 0
	actual, err := g.HP(c.rotor.Comp, c.rotor.H-s.Eff*dh, pOut, c.ideal.T)
	if err != nil {
		return 0, err
	}
	r := c.rotor.R * math.Log(s.PR)
	c.res.EffPoly = (r - (actual.S - c.rotor.S)) / r
	h := c.rotor.W * c.rotor.H
	c.out.W = c.rotor.W
	for _, b := range c.cooling {
		if b.nonchargeable {
			continue
		}
		w, err := b.expand(g, pOut, c.rotor.P)
		if err != nil {
			return 0, err
		}
		power += s.Eff * w
		c.out.Comp = gas.Mix(c.out.Comp, c.out.W, b.flow.Comp, b.flow.W)
		c.out.W += b.flow.W
		h += b.flow.W * b.flow.H
	}
	if c.out.T == 0 {
		c.out.T = actual.T
	}
	return power, c.out.SetHP(g, (h-power)/c.out.W, pOut)
}

// expand returns the ideal power [W] of a cooling flow in a turbine.
func (b *Bleed) expand(g gas.Model, pOut, pIn float64) (float64, error) {
	if b.enters == 0 || b.flow.W == 0 {
		return 0, nil
	}
	p := pOut + b.enters*(pIn-pOut)
	at, err := g.HP(b.flow.Comp, b.flow.H, p, b.flow.T)
	if err != nil {
		return 0, err
	}
	ideal, err := g.SP(b.flow.Comp, at.S, pOut, b.flow.T)
	if err != nil {
		return 0, err
	}
	return b.flow.W * (at.H - ideal.H), nil
}

// SetResponse implements Responder. Its third coordinate is the pressure ratio, the unknown.
func (c *Turbine) SetResponse(r Response, absolute bool) error {
	_, _, _, err := c.chart.respond(r, absolute)
	return err
}

// ResponseAxis implements Responder.
func (c *Turbine) ResponseAxis() string { return "PR" }
