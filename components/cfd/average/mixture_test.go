package average_test

import (
	"math"

	"github.com/peregrine-sim/peregrine/components/gas"
)

// mixture is a stream of the engine's gas model, its composition fixed.
type mixture struct {
	Model gas.Model
	Comp  gas.Composition
	r     float64
}

// newMixture returns the fluid of a composition.
func newMixture(m gas.Model, c gas.Composition) (*mixture, error) {
	st, err := m.TP(c, 300, pressure)
	if err != nil {
		return nil, err
	}
	return &mixture{Model: m, Comp: c, r: st.R}, nil
}

// pressure at which the model is asked for properties that do not depend on it, Pa.
const pressure = 101325

// R is the gas constant, J/(kg K).
func (m *mixture) R() float64 { return m.r }

// H is the model's enthalpy.
func (m *mixture) H(T float64) (float64, error) {
	st, err := m.Model.TP(m.Comp, T, pressure)
	return st.H, err
}

// T is the model's temperature of an enthalpy.
func (m *mixture) T(h float64) (float64, error) {
	st, err := m.Model.HP(m.Comp, h, pressure, 0)
	return st.T, err
}

// Phi is the model's entropy at 1 Pa.
func (m *mixture) Phi(T float64) (float64, error) {
	st, err := m.Model.TP(m.Comp, T, pressure)
	return st.S + m.r*math.Log(pressure), err
}

// TPhi is the model's temperature of an entropy at 1 Pa.
func (m *mixture) TPhi(phi float64) (float64, error) {
	st, err := m.Model.SP(m.Comp, phi-m.r*math.Log(pressure), pressure, 0)
	return st.T, err
}
