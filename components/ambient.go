package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Ambient is the free stream: US Standard Atmosphere 1976 at a geopotential altitude, brought to rest isentropically. A
// temperature offset at unchanged pressure models hot and cold days.
//
//	h(Tt) = h(Ts) + V^2/2,  s(Tt, Pt) = s(Ts, Ps),  V = MN sqrt(gamma R Ts)
//
// Its flow W is free at every operating point; components downstream determine it.
type Ambient struct {
	altitude, mach, dTs float64
	w                   float64
	war                 float64

	out  flow.Station
	free Freestream
}

// Declare implements Component.
func (c *Ambient) Declare(d *Declaration) {
	d.Describe("ambient", "Free stream: standard atmosphere, flight speed and the flow that enters the engine.")
	d.Also("atmosphere", "flight_conditions", "freestream", "flightconditions")
	d.Number("altitude", &c.altitude, unit.Length, "geopotential altitude").Default(0).Within(bottom, topOfTable)
	d.Number("mach", &c.mach, unit.None, "flight Mach number").Default(0).Within(0, 5).Also("MN")
	d.Number("dTs", &c.dTs, unit.TemperatureDiff, "difference from the standard day's temperature").Default(0).Within(
		-100, 100)
	d.Number("W", &c.w, unit.MassFlow,
		"flow into the engine at design; off design it follows from the engine").Default(100).Within(1e-6,
		1e5).DesignOnly()
	d.Number("WAR", &c.war, unit.None, "water-air ratio by mass").Default(0).Within(0, 0.1)
	d.Out("out", &c.out, "flow out")
	d.Output("Ps", &c.free.Ps, unit.Pressure, "ambient pressure")
	d.Output("Ts", &c.free.Ts, unit.Temperature, "ambient temperature")
	d.Output("V", &c.free.V, unit.Velocity, "flight speed")
	d.Unknown(Unknown{Name: "W", Modes: OffDesign, At: &c.w, Min: &zero, Typical: 1, Scaling: AsFlow})
	d.Fix(&c.w)
	d.Ambient, d.WAR = &c.free, &c.war
}

// Flight is the flight condition: altitude, m, Mach number, and the difference from the standard day's temperature, K.
func (c *Ambient) Flight() (altitude, mach, dTs float64) { return c.altitude, c.mach, c.dTs }

// Eval implements Component.
func (c *Ambient) Eval(x *Context) error {
	ps, ts, err := Atmosphere(c.altitude)
	if err != nil {
		return err
	}
	ts += c.dTs
	c.out.Comp = gas.Composition{WAR: c.war}
	static, err := x.Gas.TP(c.out.Comp, ts, ps)
	if err != nil {
		return err
	}
	v := c.mach * static.SoundSpeed()
	c.free = Freestream{Ps: ps, Ts: ts, V: v, MN: c.mach}
	c.out.W = c.w
	ht := static.H + v*v/2
	// At fixed enthalpy entropy falls with ln P as R: exact for an ideal gas.
	lnP := math.Log(ps)
	for range 20 {
		if err := c.out.SetHP(x.Gas, ht, math.Exp(lnP)); err != nil {
			return err
		}
		d := (c.out.S - static.S) / c.out.R
		lnP += d
		if math.Abs(d) < 1e-14 {
			return nil
		}
		if math.Abs(d) < 1e-8 {
			return c.out.SetHP(x.Gas, ht, math.Exp(lnP))
		}
	}
	return nil
}
