package machine

// Blades of another engine fail run by run, each time with a message about a pressure or a flow that no user has set.
// So the blades are checked against the engine's design point before the first run.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// Limits of blades that belong to a design point. They are wide: axial compressors have rotors with tip speeds of 200
// to 500 m/s and axial Mach numbers of 0.4 to 0.6 at the face (Walsh and Fletcher, Gas Turbine Performance, 2nd ed.,
// section 5.1.4), low-speed rigs of the laboratory less.
const (
	leastTipMach = 0.05 // of the tip's speed by the speed of sound at the face's total temperature
	mostTipMach  = 1.9
	leastFace    = 0.05 // Mach number of the axial flow at the face
	mostFace     = 0.9
)

// Belong reports blades that do not fit the design point: by the Mach number of the rotor's tip, and by that of the
// flow at the face, the annulus at the leading edge of the first row. With the design's corrected speed Nc and flow Wc,
// and a = sqrt(gamma R Tref),
//
//	M_tip = pi/30 Nc r_tip / a
//	Wc sqrt(R Tref) / (A Pref) = sqrt(gamma) M (1 + (gamma-1)/2 M^2)^(-(gamma+1)/(2(gamma-1)))
//
// The second equation is the flow of a perfect gas through an area (Shapiro, The Dynamics and Thermodynamics of
// Compressible Fluid Flow, 1953, section 4.6). The flow at a turbine's face is slow and has no least Mach number.
func (m *Machine) Belong(g *blade.Geometry) error {
	if len(g.Rows) == 0 || m.Gamma <= 1 || m.R <= 0 {
		return nil
	}
	tip := 0.0
	for _, row := range g.Rows {
		if row.Rotating {
			tip = max(tip, g.Casing.At(row.StackZ)-row.TipGap)
		}
	}
	first := g.Rows[0]
	middle := (g.Hub.At(first.StackZ) + g.Casing.At(first.StackZ)) / 2
	z := first.Edge(true, middle)
	hub, casing := g.Hub.At(z), g.Casing.At(z)
	area := math.Pi * (casing*casing - hub*hub)
	tipMach := math.Pi / 30 * m.Nc * tip / math.Sqrt(m.Gamma*m.R*flow.Tref)
	density := m.Wc * math.Sqrt(m.R*flow.Tref) / (area * flow.Pref)
	face := subsonicMach(density, m.Gamma)
	why := ""
	switch {
	case tipMach > mostTipMach || tipMach < leastTipMach:
		why = fmt.Sprintf("the tip would turn at Mach %.3g, want %g to %g", tipMach, leastTipMach, mostTipMach)
	case face > mostFace:
		why = fmt.Sprintf("the annulus passes at most %.4g kg/s", m.Wc/density*massFlux(1, m.Gamma))
	case face < leastFace && m.Compresses():
		why = fmt.Sprintf("the flow would enter at Mach %.2g, want %g to %g", face, leastFace, mostFace)
	default:
		return nil
	}
	return fmt.Errorf("the blades do not belong to the design point: %s. The design has a corrected speed of %.5g rpm "+
		"and a corrected flow of %.4g kg/s; the blades have a tip radius of %.4g m and a face of %.4g m2. Give the "+
		"blades of this engine, or correct N and the flow", why, m.Nc, m.Wc, tip, area)
}

// massFlux returns W sqrt(R Tt) / (A Pt) of a perfect gas at a Mach number.
func massFlux(mach, gamma float64) float64 {
	return math.Sqrt(gamma) * mach * math.Pow(1+(gamma-1)/2*mach*mach, -(gamma+1)/(2*(gamma-1)))
}

// subsonicMach returns the Mach number up to 1 of a mass flux, by bisection; infinite if the flow chokes.
func subsonicMach(flux, gamma float64) float64 {
	if flux > massFlux(1, gamma) {
		return math.Inf(1)
	}
	low, high := 0.0, 1.0
	for range 60 {
		if m := (low + high) / 2; massFlux(m, gamma) < flux {
			low = m
		} else {
			high = m
		}
	}
	return low
}
