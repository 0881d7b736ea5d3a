package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Freestream is the air that the engine flies in.
type Freestream struct {
	Ps, Ts float64 // Pa, K
	V      float64 // flight speed, m/s
	MN     float64
}

// Ambient is the free stream: US Standard Atmosphere 1976 at a geopotential
// altitude, with a temperature offset at unchanged pressure for hot and cold
// days, brought to rest isentropically.
//
//	h(Tt) = h(Ts) + V^2/2,  s(Tt, Pt) = s(Ts, Ps),  V = MN sqrt(gamma R Ts)
//
// Its flow W is free at every operating point; what fixes it is downstream.
type Ambient struct {
	altitude, mach, dTs float64
	w                   float64
	war                 float64

	out  flow.Station
	free Freestream
}

var ambientKind = kind{
	typ: config.Type{
		Name: "ambient", Doc: "Free stream: standard atmosphere, flight speed and the flow that enters the engine.",
		Ports: []config.Port{flowOut},
		Params: []config.Param{
			number("altitude", unit.Length, 0.0, -2000, 84852, "geopotential altitude"),
			number("mach", unit.None, 0.0, 0, 5, "flight Mach number"),
			number("dTs", unit.TemperatureDiff, 0.0, -100, 100, "difference from the standard day's temperature"),
			number("W", unit.MassFlow, 100.0, 1e-6, 1e5, "flow into the engine at design; off design it follows from the engine"),
			number("WAR", unit.None, 0.0, 0, 0.1, "water-air ratio by mass"),
		},
		Outputs: []config.Output{
			{Name: "Ps", Dim: unit.Pressure, Doc: "ambient pressure"},
			{Name: "Ts", Dim: unit.Temperature, Doc: "ambient temperature"},
			{Name: "V", Dim: unit.Velocity, Doc: "flight speed"},
		},
	},
	make: func() Component { return &Ambient{} },
}

// Declare implements Component.
func (c *Ambient) Declare(d *Declaration) {
	d.Number("altitude", &c.altitude)
	d.Number("mach", &c.mach)
	d.Number("dTs", &c.dTs)
	d.DesignNumber("W", &c.w)
	d.Number("WAR", &c.war)
	d.Out("out", &c.out)
	d.Output("Ps", &c.free.Ps)
	d.Output("Ts", &c.free.Ts)
	d.Output("V", &c.free.V)
	d.Unknown(Unknown{Name: "W", Modes: OffDesign, At: &c.w, Min: &zero, Typical: 1})
	d.Fix(&c.w)
}

var zero = 0.0

// Free is the free stream that other components refer to.
func (c *Ambient) Free() *Freestream { return &c.free }

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

// layer is one layer of the standard atmosphere.
type layer struct {
	h     float64 // geopotential altitude of its base, m
	t     float64 // temperature there, K
	lapse float64 // K/m
}

// US Standard Atmosphere 1976 (NOAA-S/T 76-1562), table 4.
var layers = []layer{
	{0, 288.15, -0.0065}, {11000, 216.65, 0}, {20000, 216.65, 0.001}, {32000, 228.65, 0.0028},
	{47000, 270.65, 0}, {51000, 270.65, -0.0028}, {71000, 214.65, -0.002},
}

const (
	g0         = 9.80665           // m/s2
	rAir       = 8314.32 / 28.9644 // J/(kg K), the atmosphere's own gas constant
	topOfTable = 84852.0           // m geopotential, 86 km geometric
	bottom     = -2000.0           // m
)

// Atmosphere returns pressure [Pa] and temperature [K] of the US Standard
// Atmosphere 1976 at a geopotential altitude of -2,000 to 84,852 m:
//
//	P = P_b (T_b/T)^(g0/(R L))          in a layer of lapse rate L
//	P = P_b exp(-g0 (h - h_b)/(R T_b))  in an isothermal layer
func Atmosphere(h float64) (P, T float64, err error) {
	if !(h >= bottom && h <= topOfTable) {
		return 0, 0, fmt.Errorf("geopotential altitude %.6g m is outside the standard atmosphere, %.0f to %.0f m", h, bottom, topOfTable)
	}
	P = flow.Pref
	for i, l := range layers {
		top := h
		if i+1 < len(layers) && layers[i+1].h < h {
			top = layers[i+1].h
		}
		dh := top - l.h
		if l.lapse == 0 {
			P *= math.Exp(-g0 * dh / (rAir * l.t))
		} else {
			P *= math.Pow(l.t/(l.t+l.lapse*dh), g0/(rAir*l.lapse))
		}
		T = l.t + l.lapse*dh
		if top == h {
			break
		}
	}
	return P, T, nil
}
