// Package average reduces a flow field to 1-D values.
//
// A uniform flow cannot keep all properties of a non-uniform flow; an average keeps those that its purpose needs (N. A.
// Cumpsty and J. H. Horlock, "Averaging Nonuniform Flow for a Purpose", J. Turbomachinery 128 (2006), pp. 120-129).
// Mass and energy are always kept here:
//
//	W = sum dW,  h(Tt) = sum h(Tt_i) dW_i / W
//
// and the total pressure by one of four purposes, see Averaging.
package average

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Averaging is the purpose of an average of total pressure.
type Averaging string

const (
	// Mass: sum Pt dW / W. The usual average of rakes.
	Mass Averaging = "mass"
	// Area: sum Pt dA / A.
	Area Averaging = "area"
	// Work keeps the work that an ideal machine could take from the flow by expanding it to a reference pressure. For a
	// perfect gas it does not depend on that pressure (Cumpsty and Horlock),
	//
	//	Pt^k = sum Tt dW / sum (Tt / Pt^k) dW,  k = (gamma-1)/gamma
	Work Averaging = "work"
	// Entropy keeps the flow of entropy: s(Tt, Pt) W = sum s_i dW.
	Entropy Averaging = "entropy"
)

// Plane is a flow over a plane, cell by cell from the hub to the casing.
type Plane struct {
	DW []float64 // mass flow through the cell, kg/s, positive
	DA []float64 // area of the cell, m2; nil if no area average is wanted
	Pt []float64 // total pressure, Pa
	Tt []float64 // total temperature, K

	Ps    []float64 // static pressure, Pa; may be nil
	Alpha []float64 // swirl angle, rad; may be nil
}

// Mean is the 1-D state of a stream.
type Mean struct {
	W     float64               `json:"W"`  // kg/s
	A     float64               `json:"A"`  // m2
	Tt    float64               `json:"Tt"` // K
	Ht    float64               `json:"-"`  // J/kg
	Pt    map[Averaging]float64 `json:"Pt"`
	Ps    float64               `json:"Ps"`    // area average if DA is given, else mass average; 0 if not given
	Alpha float64               `json:"alpha"` // rad, mass average; 0 if not given
}

// PlaneError is a fault of a plane.
type PlaneError struct {
	Cell   int // from 0, the hub; -1: the plane as a whole
	Reason string
}

func (e *PlaneError) Error() string {
	if e.Cell < 0 {
		return "flow over a plane: " + e.Reason
	}
	return fmt.Sprintf("flow over a plane: cell %d from the hub: %s", e.Cell, e.Reason)
}

func (p *Plane) check() error {
	n := len(p.DW)
	if n == 0 {
		return &PlaneError{-1, "no cells"}
	}
	for _, list := range []struct {
		name     string
		v        []float64
		optional bool
		positive bool
	}{
		{"DW", p.DW, false, true}, {"DA", p.DA, true, true}, {"Pt", p.Pt, false, true},
		{"Tt", p.Tt, false, true}, {"Ps", p.Ps, true, true}, {"Alpha", p.Alpha, true, false},
	} {
		if list.optional && list.v == nil {
			continue
		}
		if len(list.v) != n {
			return &PlaneError{-1, fmt.Sprintf("%d values of %s for %d cells", len(list.v), list.name, n)}
		}
		for i, v := range list.v {
			if !numeric.Finite(v) || list.positive && v <= 0 {
				return &PlaneError{i, fmt.Sprintf("%s is %g; no average over it means anything", list.name, v)}
			}
		}
	}
	return nil
}

// Of returns the mean state of a plane. Reference is the pressure to which the work average expands, Pa; the inlet's
// total pressure suits well.
func Of(p Plane, f Fluid, reference float64) (Mean, error) {
	if err := p.check(); err != nil {
		return Mean{}, err
	}
	m := Mean{Pt: map[Averaging]float64{}}
	var h, s, ideal, area, mass, ps, alpha float64
	for i, dw := range p.DW {
		hi, err := f.H(p.Tt[i])
		if err != nil {
			return m, &PlaneError{i, err.Error()}
		}
		phi, err := f.Phi(p.Tt[i])
		if err != nil {
			return m, &PlaneError{i, err.Error()}
		}
		expanded, err := enthalpyAt(f, phi-f.R()*math.Log(p.Pt[i]/reference))
		if err != nil {
			return m, &PlaneError{i, err.Error()}
		}
		m.W += dw
		h += hi * dw
		s += (phi - f.R()*math.Log(p.Pt[i])) * dw
		ideal += expanded * dw
		mass += p.Pt[i] * dw
		if p.DA != nil {
			m.A += p.DA[i]
			area += p.Pt[i] * p.DA[i]
		}
		if p.Ps != nil {
			ps += p.Ps[i] * p.weight(i)
		}
		if p.Alpha != nil {
			alpha += p.Alpha[i] * dw
		}
	}
	m.Ht, m.Alpha = h/m.W, alpha/m.W
	m.Pt[Mass] = mass / m.W
	m.Ps = ps / m.W
	if p.DA != nil {
		m.Pt[Area] = area / m.A
		m.Ps = ps / m.A
	}
	return m, m.pressures(f, s/m.W, ideal/m.W, reference)
}

// weight returns the weight of a cell in the static pressure's average.
func (p *Plane) weight(i int) float64 {
	if p.DA != nil {
		return p.DA[i]
	}
	return p.DW[i]
}

func enthalpyAt(f Fluid, phi float64) (float64, error) {
	T, err := f.TPhi(phi)
	if err != nil {
		return 0, err
	}
	return f.H(T)
}

// pressures sets Tt and two total pressures that follow from it: that of the mean entropy s, and that whose expansion
// to the reference ends at the mean enthalpy ideal.
func (m *Mean) pressures(f Fluid, s, ideal, reference float64) error {
	var err error
	if m.Tt, err = f.T(m.Ht); err != nil {
		return &PlaneError{-1, err.Error()}
	}
	phi, err := f.Phi(m.Tt)
	if err != nil {
		return &PlaneError{-1, err.Error()}
	}
	m.Pt[Entropy] = math.Exp((phi - s) / f.R())
	T, err := f.T(ideal)
	if err != nil {
		return &PlaneError{-1, err.Error()}
	}
	after, err := f.Phi(T)
	if err != nil {
		return &PlaneError{-1, err.Error()}
	}
	m.Pt[Work] = reference * math.Exp((phi-after)/f.R())
	return nil
}

// The gas as averages see it: an ideal gas whose enthalpy depends on
// temperature alone.

// Fluid is an ideal gas of fixed composition:
//
//	h = H(T),  s = Phi(T) - R ln P
type Fluid interface {
	H(T float64) (float64, error)      // enthalpy, J/kg, of a temperature in K
	T(h float64) (float64, error)      // inverse of H
	Phi(T float64) (float64, error)    // entropy function, J/(kg K)
	TPhi(phi float64) (float64, error) // inverse of Phi
	R() float64                        // gas constant, J/(kg K)
}

// Perfect is a gas with constant specific heats.
type Perfect struct {
	Gamma float64 // ratio of specific heats, above 1
	Rgas  float64 // gas constant, J/(kg K)
}

func (g Perfect) cp() float64 { return g.Gamma * g.Rgas / (g.Gamma - 1) }

// R returns the gas constant, J/(kg K).
func (g Perfect) R() float64 { return g.Rgas }

// H returns cp T.
func (g Perfect) H(T float64) (float64, error) { return g.cp() * T, nil }

// T returns h / cp.
func (g Perfect) T(h float64) (float64, error) { return h / g.cp(), nil }

// Phi returns cp ln T.
func (g Perfect) Phi(T float64) (float64, error) {
	if !(T > 0) {
		return 0, fmt.Errorf("perfect gas: temperature %g K is not positive", T)
	}
	return g.cp() * math.Log(T), nil
}

// TPhi returns exp(phi / cp).
func (g Perfect) TPhi(phi float64) (float64, error) { return math.Exp(phi / g.cp()), nil }
