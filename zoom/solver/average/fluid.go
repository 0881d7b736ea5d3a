package average

// The gas as averages see it: an ideal gas whose enthalpy depends on
// temperature alone.

import (
	"fmt"
	"math"
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
