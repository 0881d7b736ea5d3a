package unit

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// System is the set of units in tables for people. Files for programs are always in SI.
type System int

const (
	SI       System = iota // kPa, kN, kW, kJ/kg, K ...
	Imperial               // psi, lbf, hp, Btu/lbm, degR ...: the units of US engine practice and NPSS
)

// ParseSystem reads the name of a system, "si" or "imperial".
func ParseSystem(name string) (System, error) {
	switch name {
	case "si":
		return SI, nil
	case "imperial":
		return Imperial, nil
	}
	return SI, fmt.Errorf("no system of units %q%s", name, spell.Hint(name, []string{"si", "imperial"}))
}

// Of returns the unit for quantities of a dimension in tables of the system.
func (s System) Of(dim Dimension) Unit {
	u, err := New(describe(dim).table[s], dim)
	if err != nil {
		panic(err) // the table names a unit that does not exist: a mistake in this package
	}
	return u
}

// Format writes an SI value (rpm for speeds) in the system's unit, with that
// unit and the given number of significant digits, such as "14.7 psi".
func (s System) Format(x float64, dim Dimension, digits int) string {
	return s.Of(dim).Format(x, digits)
}

// As returns the unit that a quantity was written with, that of SI tables for a bare number (empty).
func As(written string, dim Dimension) Unit {
	if u, err := New(written, dim); err == nil && written != "" {
		return u
	}
	return SI.Of(dim)
}

// Format writes an SI value (rpm for speeds) in the unit, with the given number of significant digits.
func (u Unit) Format(x float64, digits int) string {
	text := fmt.Sprintf("%.*g", digits, u.FromSI(x))
	if u.name == "" {
		return text
	}
	return text + " " + u.name
}
