// Package gas models the working fluid of an engine: air, water vapour and the products of burning one fuel in it.
//
// Enthalpies are absolute (the elements at 298.15 K are zero), so that burning is mixing: enthalpy is conserved, and no
// heat of reaction appears anywhere.
//
// Three models implement one interface: Equilibrium shifts its composition with temperature and pressure, as NASA's CEA
// does, in half a microsecond; Gibbs is the full solution behind it; Frozen keeps the products of complete combustion.
package gas

import (
	"fmt"
	"math"
)

// Composition is the composition of a stream, relative to its dry air.
type Composition struct {
	FAR float64 // fuel burnt in it, kg per kg of dry air
	WAR float64 // water vapour, kg per kg of dry air
}

// Total is the mass of the stream per mass of its dry air.
func (c Composition) Total() float64 { return 1 + c.FAR + c.WAR }

// Mix returns the composition of two streams of wa and wb kg/s put together.
func Mix(a Composition, wa float64, b Composition, wb float64) Composition {
	airA, airB := wa/a.Total(), wb/b.Total()
	air := airA + airB
	if air == 0 {
		return a
	}
	return Composition{
		FAR: (a.FAR*airA + b.FAR*airB) / air,
		WAR: (a.WAR*airA + b.WAR*airB) / air,
	}
}

// State is a thermodynamic state of a stream.
type State struct {
	T     float64 // K
	P     float64 // Pa
	H     float64 // J/kg, absolute
	S     float64 // J/(kg K), absolute
	Cp    float64 // J/(kg K)
	Gamma float64 // isentropic exponent: a^2 = Gamma R T
	R     float64 // J/(kg K)
}

// Density is in kg/m3.
func (s *State) Density() float64 { return s.P / (s.R * s.T) }

// SoundSpeed is in m/s.
func (s *State) SoundSpeed() float64 { return math.Sqrt(s.Gamma * s.R * s.T) }

// Model gives the properties of streams. Implementations are safe for
// concurrent use and make no garbage.
type Model interface {
	// TP returns the state at T [K] and P [Pa].
	TP(c Composition, T, P float64) (State, error)
	// HP returns the state of enthalpy h [J/kg] at P [Pa]. Guess is a
	// temperature to start from, or 0.
	HP(c Composition, h, P, guess float64) (State, error)
	// SP returns the state of entropy s [J/(kg K)] at P [Pa].
	SP(c Composition, s, P, guess float64) (State, error)
	// Fuel returns the fuel whose products the streams hold.
	Fuel() Fuel
}

// RangeError is a state outside the range of a gas model.
type RangeError struct {
	What     string // "T", "P", "FAR", "h", "s"
	Value    float64
	Min, Max float64
}

func (e *RangeError) Error() string {
	unit := map[string]string{"T": " K", "P": " Pa", "h": " J/kg", "s": " J/(kg K)", "density": " kg/m3"}[e.What]
	return fmt.Sprintf("gas: %s %.6g%s is outside %.6g to %.6g%s", e.What, e.Value, unit, e.Min, e.Max, unit)
}
