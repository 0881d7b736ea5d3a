package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
)

// Freestream is the air that the engine flies in.
type Freestream struct {
	Ps, Ts float64 // Pa, K
	V      float64 // flight speed, m/s
	MN     float64
}

// layer is one layer of the standard atmosphere.
type layer struct {
	h     float64 // geopotential altitude of its base, m
	t     float64 // at the layer's base, K
	lapse float64 // K/m
}

// US Standard Atmosphere 1976 (NOAA-S/T 76-1562), table 4.
var layers = []layer{
	{0, 288.15, -0.0065}, {11000, 216.65, 0}, {20000, 216.65, 0.001}, {32000, 228.65, 0.0028},
	{47000, 270.65, 0}, {51000, 270.65, -0.0028}, {71000, 214.65, -0.002},
}

const (
	g0         = 9.80665           // m/s2
	rAir       = 8314.32 / 28.9644 // J/(kg K), gas constant of the standard atmosphere
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
		return 0, 0, fmt.Errorf("geopotential altitude %.6g m is outside the standard atmosphere, %.0f to %.0f m", h,
			bottom, topOfTable)
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
