package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Volume is gas between components that takes time to fill and to change: a plenum, the inside of a burner or a duct.
// The inflow mixes at once with the content; the gas is taken to be at rest, at the total pressure, as in the mixing
// volumes of inter-component volume methods (Fawke and Saravanamuttoo, "Digital Computer Methods for Prediction of Gas
// Turbine Dynamic Response", SAE 710550, 1971; Walsh and Fletcher, Gas Turbine Performance, 2nd ed., section 8.11). It
// conserves dry air, fuel, water and energy,
//
//	d m_air/dt = W_in/(1 + FAR_in + WAR_in) - W_out/(1 + FAR + WAR),  so for fuel and water
//	dU/dt = W_in ht_in - W_out ht
//
// and from m/V and U/m follow pressure and temperature by the gas's tables, with ht = U/m + P V/m. Others write dP/dt =
// (gamma R T/V) (W_in - W_out) for a gas of constant properties; this is that equation for any gas.
//
// In a transient the outflow is unknown: the components downstream determine it at the volume's pressure. Components
// upstream must meet that pressure. At rest the outflow equals the inflow.
type Volume struct {
	v                float64 // m3
	in               *flow.Station
	out              flow.Station
	wOut             float64
	air, fuel, water float64    // kg
	energy           float64    // J, with absolute enthalpies
	filled           [5]float64 // air, fuel, water, energy and volume that the outlet's state is of
	rates            struct{ air, fuel, water, energy float64 }
	magnitude        struct{ fuel, water, energy float64 }
	holding          Holding
	errP             float64
	mass             float64
}

// Declare implements Component.
func (c *Volume) Declare(d *Declaration) {
	d.Describe("volume", "Mixing volume: gas between components that stores mass and energy in a transient.")
	d.Number("volume", &c.v, unit.Volume, "volume of the gas").Within(1e-9, 1e4).Required()
	d.In("in", &c.in, "flow in")
	d.Out("out", &c.out, "flow out")
	d.Unknown(Unknown{Name: "W", Modes: Transient, At: &c.wOut, Min: &zero, Typical: 1})
	d.Residual("Pt", Transient, &c.errP, "the inflow is not at the pressure of the volume")
	d.State(State{Name: "air", At: &c.air, Rate: &c.rates.air, Typical: &c.air, Dim: unit.Mass})
	d.State(State{Name: "fuel", At: &c.fuel, Rate: &c.rates.fuel, Typical: &c.magnitude.fuel, Dim: unit.Mass, Of: Fuel})
	d.State(State{Name: "water", At: &c.water, Rate: &c.rates.water, Typical: &c.magnitude.water, Dim: unit.Mass,
		Of: Water})
	d.State(State{Name: "energy", At: &c.energy, Rate: &c.rates.energy, Typical: &c.magnitude.energy})
	d.Output("m", &c.mass, unit.Mass, "mass of the gas in it")
	d.Store(Gas, &c.holding)
	d.Separates = true
}

// Eval implements Component.
func (c *Volume) Eval(x *Context) error {
	if !x.Stores {
		areaFree(&c.out, c.in)
		c.out.Layers = nil
		c.rest()
		return nil
	}
	if err := c.fill(x.Gas); err != nil {
		return err
	}
	c.out.W = c.wOut
	c.errP = c.in.P/c.out.P - 1
	in, out := c.in.W/c.in.Comp.Total(), c.wOut/c.out.Comp.Total()
	c.rates.air = in - out
	c.rates.fuel = in*c.in.Comp.FAR - out*c.out.Comp.FAR
	c.rates.water = in*c.in.Comp.WAR - out*c.out.Comp.WAR
	c.rates.energy = c.in.W*c.in.H - c.wOut*c.out.H
	c.holding = Holding{Mass: c.in.W - c.wOut, Power: c.rates.energy, Energy: c.energy, Air: c.air, Fuel: c.fuel,
		Water: c.water}
	return nil
}

// fill sets the gas's state from the volume's content, if that has changed. It uses no initial guess, so that the same
// content gives identical bits.
func (c *Volume) fill(g gas.Model) error {
	holds := [...]float64{c.air, c.fuel, c.water, c.energy, c.v}
	if c.filled == holds {
		return nil
	}
	c.out.Comp = gas.Composition{FAR: max(0, c.fuel/c.air), WAR: max(0, c.water/c.air)}
	c.mass = c.air * c.out.Comp.Total()
	st, err := gas.Isochoric(g, c.out.Comp, c.mass/c.v, c.energy/c.mass, 0)
	if err != nil {
		c.filled[0] = 0
		return fmt.Errorf("%.4g kg of air and %.4g kg of fuel with %.6g J: %w", c.air, c.fuel, c.energy, err)
	}
	c.out.State, c.filled = st, holds
	return nil
}

// rest puts the states where the gas is that flows through.
func (c *Volume) rest() {
	s := &c.out
	c.wOut, c.errP, c.filled = s.W, 0, [5]float64{}
	c.mass = s.Density() * c.v
	c.air = c.mass / s.Comp.Total()
	c.fuel, c.water = c.air*s.Comp.FAR, c.air*s.Comp.WAR
	c.energy = c.mass*s.H - s.P*c.v
	// A thousandth of fuel or water is much for a volume without any; the zero of energy is a convention.
	c.magnitude.fuel, c.magnitude.water = max(c.fuel, 1e-2*c.air), max(c.water, 1e-2*c.air)
	c.magnitude.energy = c.mass * s.Cp * s.T
	c.rates.air, c.rates.fuel, c.rates.water, c.rates.energy = 0, 0, 0, 0
	c.holding = Holding{Energy: c.energy, Air: c.air, Fuel: c.fuel, Water: c.water}
}

// Explain implements Explainer.
func (c *Volume) Explain() string {
	return fmt.Sprintf(
		"the inflow is at %.6g kPa, the volume at %.6g kPa (a volume needs a component ahead of it whose "+
			"pressure depends on its flow, such as a compressor, a turbine, or a duct with loss: quadratic)",
		c.in.P/1e3, c.out.P/1e3)
}
