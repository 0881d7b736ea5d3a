package components

import (
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// reynolds corrects the values of a map for the Reynolds number at the component's inlet. At the Mach numbers of a
// place on the map it is proportional to the index
//
//	RNI = delta/(sqrt(theta) mu/mu_ref)
//
// which is 1 at sea level on a standard day. Loss follows a power of it, as Wassell found ("Reynolds Number Effects in
// Axial Compressors", J. Engineering for Power 90, 1968, pages 149-156), and so, less strongly, does the flow:
//
//	1 - eff = (1 - eff_map) (RNI/RNI_des)^-n
//	Wc      = Wc_map (RNI/RNI_des)^m
//
// Both exponents are 0, no correction, by default. n is usually 0.1 to 0.2, of turbulent boundary layers; the effect
// vanishes above a critical Reynolds number of a few hundred thousand with the chord. The user has to know that number,
// m (about n/3) and the sizes.
type reynolds struct {
	n, m        float64
	design, now float64 // RNI
	loss, flow  float64 // factors on 1-eff and Wc
}

func (r *reynolds) declare(d *Declaration) {
	d.Number("Re_eff", &r.n, unit.None,
		"exponent with which 1 - eff falls as the Reynolds number index over design rises; 0: no correction").
		Default(0).Within(0, 1)
	d.Number("Re_flow", &r.m, unit.None,
		"exponent with which the corrected flow rises with the Reynolds number index over design; 0: no "+
			"correction").Default(0).Within(0, 1)
	d.Fix(&r.design)
}

func (r *reynolds) declareOutput(d *Declaration) {
	d.Output("RNI", &r.now, unit.None, "Reynolds number index at the inlet, 1 at sea level on a standard day")
}

// at sets the factors for an inlet.
func (r *reynolds) at(mode Mode, in *flow.Station) {
	r.now = in.Delta() / (math.Sqrt(in.Theta()) * sutherland(in.T))
	r.loss, r.flow = 1, 1
	if mode == Design {
		r.design = r.now
		return
	}
	if r.n != 0 {
		r.loss = math.Pow(r.now/r.design, -r.n)
	}
	if r.m != 0 {
		r.flow = math.Pow(r.now/r.design, r.m)
	}
}

// eff returns an efficiency with its losses corrected.
func (r *reynolds) eff(mapped float64) float64 { return 1 - (1-mapped)*r.loss }

// sutherland is the viscosity of air over that at 288.15 K (US Standard Atmosphere
// 1976, equation 51: mu ~ T^1.5/(T + 110.4 K)).
func sutherland(t float64) float64 {
	x := t / flow.Tref
	return x * math.Sqrt(x) * (flow.Tref + 110.4) / (t + 110.4)
}
