package average

// The gas as averages see it: an ideal gas whose enthalpy depends on
// temperature alone, perfect (as in a flow solver) or a mixture (as in the engine).

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/gas"
)

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

// R is the gas constant, J/(kg K).
func (g Perfect) R() float64 { return g.Rgas }

// H is cp T.
func (g Perfect) H(T float64) (float64, error) { return g.cp() * T, nil }

// T is h / cp.
func (g Perfect) T(h float64) (float64, error) { return h / g.cp(), nil }

// Phi is cp ln T.
func (g Perfect) Phi(T float64) (float64, error) {
	if !(T > 0) {
		return 0, fmt.Errorf("perfect gas: temperature %g K is not positive", T)
	}
	return g.cp() * math.Log(T), nil
}

// TPhi is exp(phi / cp).
func (g Perfect) TPhi(phi float64) (float64, error) { return math.Exp(phi / g.cp()), nil }

// Mixture is a stream of the engine's gas model, its composition fixed.
type Mixture struct {
	Model gas.Model
	Comp  gas.Composition
	r     float64
}

// NewMixture returns the fluid of a composition.
func NewMixture(m gas.Model, c gas.Composition) (*Mixture, error) {
	st, err := m.TP(c, 300, pressure)
	if err != nil {
		return nil, err
	}
	return &Mixture{Model: m, Comp: c, r: st.R}, nil
}

// pressure at which the model is asked for properties that do not depend on it, Pa.
const pressure = 101325

// R is the gas constant, J/(kg K).
func (m *Mixture) R() float64 { return m.r }

// H is the model's enthalpy.
func (m *Mixture) H(T float64) (float64, error) {
	st, err := m.Model.TP(m.Comp, T, pressure)
	return st.H, err
}

// T is the model's temperature of an enthalpy.
func (m *Mixture) T(h float64) (float64, error) {
	st, err := m.Model.HP(m.Comp, h, pressure, 0)
	return st.T, err
}

// Phi is the model's entropy at 1 Pa.
func (m *Mixture) Phi(T float64) (float64, error) {
	st, err := m.Model.TP(m.Comp, T, pressure)
	return st.S + m.r*math.Log(pressure), err
}

// TPhi is the model's temperature of an entropy at 1 Pa.
func (m *Mixture) TPhi(phi float64) (float64, error) {
	st, err := m.Model.SP(m.Comp, phi-m.r*math.Log(pressure), pressure, 0)
	return st.T, err
}
