package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Burner burns fuel in its stream.
//
//	Wf     = FAR W_in
//	Pt_out = Pt_in (1 - dPqP)
//	W_out ht_out = W_in ht_in + Wf (h_fuel - (1 - eff) LHV)
//
// with absolute enthalpies. Unburnt fuel (1 - eff) counts as heat lost; the composition is that of complete combustion.
//
// The flame blows out below a fuel-air ratio that rises with the burner's loading (weak extinction, or lean blow-out).
// Lefebvre ("Fuel Effects on Gas Turbine Combustion - Ignition, Stability, and Combustion Efficiency", J. Engineering
// for Gas Turbines and Power 107, 1985, pages 24-37) found for the burners of eight engines, of one volume and fuel,
//
//	FAR_LBO ~ W_in/(Pt_in^1.3 exp(Tt_in/300 K))
//
// The constant belongs to the burner: FAR_weak sets it at the design point. The executive decides how a transient
// treats a blown-out flame. While the flame is out, the fuel leaves unburnt: it does not join the gas and does not
// change its state.
//
// A flow solver may supply dPqP and eff over the corrected flow and the fuel-air ratio; see LawUse.
//
// In a transient its metal may soak heat; see soak.
type Burner struct {
	far, dPqP, eff float64
	weak, lit      float64
	mn, area       float64
	loading        float64 // at design
	in             *flow.Station
	out            flow.Station
	wf, burnt      float64
	heat           float64
	soak           soak
	blowout        float64
	burning        float64
	law            LawUse
}

func newBurner() Component { return &Burner{lit: 1} }

// Declare implements Component.
func (c *Burner) Declare(d *Declaration) {
	d.Describe("burner", "Burner: fuel, heat, pressure loss.")
	d.Also("combustor", "combustion_chamber", "afterburner", "augmentor", "reheat")
	d.Number("FAR", &c.far, unit.None, "fuel flow over the flow that enters the burner").Default(0.02).Within(0, 0.1)
	d.Number("dPqP", &c.dPqP, unit.None, "loss of total pressure as a fraction of the inlet's").Default(0).Within(0,
		0.99)
	d.Number("eff", &c.eff, unit.None, "share of the heating value that is released").Default(1).Within(0.01, 1)
	d.Number("FAR_weak", &c.weak, unit.None,
		"fuel-air ratio below which the flame goes out at the loading of the design point; 0: it never does").Default(
		0).Within(0, 0.05)
	d.Number("lit", &c.lit, unit.None, "1: the flame burns, 0: it is out, for faults").Default(1).Within(0, 1)
	d.exitMN(&c.mn)
	d.Fix(&c.loading)
	d.In("in", &c.in, "flow in")
	d.Out("out", &c.out, "flow out").Sized(&c.mn, &c.area)
	d.OutputBy("FAR", 0, 1e3, "Wf", &c.wf, unit.MassFlow, "fuel flow")
	d.Output("FAR", &c.far, unit.None, "fuel flow over the flow that enters the burner")
	d.Output("burning", &c.burning, unit.None, "1 if it burns fuel; 0 if the flame is out or there is no fuel")
	d.Output("FAR_LBO", &c.blowout, unit.None,
		"fuel-air ratio below which the flame goes out (lean blow-out); none: never")
	d.Law(&c.law, []string{"Wc", "FAR"}, []string{"dPqP", "eff"})
	d.Fuel, d.Fed = &c.burnt, &c.wf
	d.Heat = &c.heat
	c.soak.declare(d)
}

// Check implements Checker.
func (c *Burner) Check() error { return c.soak.check() }

// Eval implements Component.
func (c *Burner) Eval(x *Context) error {
	fuel := x.Gas.Fuel()
	c.wf = c.far * c.in.W
	c.burnt = c.lit * c.wf
	c.burning = 0
	if c.burnt > 0 {
		c.burning = 1
	}
	c.out.W = c.in.W + c.burnt
	c.out.Comp = c.in.Comp
	c.out.Comp.FAR += c.lit * c.far * c.in.Comp.Total()
	if c.out.T == 0 {
		c.out.T = c.in.T
	}
	now := c.law.look(x.Mode, pair{c.in.Wc(), c.far}, pair{c.dPqP, c.eff})
	dPqP, eff := now[0], now[1]
	c.heat = -(1 - eff) * c.burnt * fuel.LHV
	h := (c.in.W*c.in.H + c.burnt*fuel.Enthalpy + c.heat) / c.out.W
	c.extinction(x)
	if err := c.out.SetHP(x.Gas, h, c.in.P*(1-dPqP)); err != nil {
		return fmt.Errorf("burning at FAR %.5g: %w", c.far, err)
	}
	return c.soak.take(x, &c.out)
}

// extinction sets the fuel-air ratio of lean blow-out.
func (c *Burner) extinction(x *Context) {
	c.blowout = math.NaN()
	if c.weak == 0 && x.Mode != Design {
		return
	}
	loading := c.in.W / (math.Pow(c.in.P, 1.3) * math.Exp(c.in.T/300))
	if x.Mode == Design {
		c.loading = loading
	}
	if c.weak > 0 {
		c.blowout = c.weak * loading / c.loading
	}
}

// Margin implements Flame.
func (c *Burner) Margin() float64 {
	if !c.MayBlowOut() || !c.Burns() {
		return math.Inf(1)
	}
	return c.far/c.blowout - 1
}

// FAR implements Flame.
func (c *Burner) FAR() float64 { return c.far }

// MayBlowOut implements Flame.
func (c *Burner) MayBlowOut() bool { return c.weak > 0 }

// Lit implements Flame.
func (c *Burner) Lit() *float64 { return &c.lit }

// Burns implements Flame.
func (c *Burner) Burns() bool { return c.lit >= 0.5 }
