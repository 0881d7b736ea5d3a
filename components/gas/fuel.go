package gas

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Fuel is what is burnt: a substance of C, H, O and N with the enthalpy at which
// it enters the burner.
type Fuel struct {
	Name     string
	Formula  Formula
	Enthalpy float64 // J/kg, absolute, as it enters
	LHV      float64 // J/kg, lower heating value at 298.15 K that belongs to Enthalpy
}

// Formula counts the atoms of a molecule, or of any multiple of it.
type Formula struct{ C, H, O, N float64 }

// MolarMass is in kg/kmol.
func (f Formula) MolarMass() float64 {
	return Standard.Atoms.fuel(f)
}

// named holds the formulas of the fuels known by name. Jet-A is CEA's Jet-A(g)
// and JP-7 NPSS's.
var named = map[string]Formula{
	"Jet-A": {C: 12, H: 23},
	"JP-7":  {C: 2, H: 4.0044},
	"H2":    {H: 2},
	"CH4":   {C: 1, H: 4},
}

// Names lists the fuels known by name.
func Names() []string {
	var names []string
	for n := range named {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// ParseFormula reads a formula such as C12H23 or C2H4.0044.
func ParseFormula(text string) (Formula, error) {
	var f Formula
	rest := text
	for rest != "" {
		count := map[byte]*float64{'C': &f.C, 'H': &f.H, 'O': &f.O, 'N': &f.N}[rest[0]]
		if count == nil {
			return Formula{}, fmt.Errorf("gas: fuel formula %q: %q is none of C, H, O, N", text, rest[:1])
		}
		rest = rest[1:]
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		n := 1.0
		if digits > 0 {
			var err error
			if n, err = strconv.ParseFloat(rest[:digits], 64); err != nil {
				return Formula{}, fmt.Errorf("gas: fuel formula %q: %q is no number of atoms", text, rest[:digits])
			}
		}
		*count += n
		rest = rest[digits:]
	}
	if f.C == 0 && f.H == 0 {
		return Formula{}, fmt.Errorf("gas: fuel formula %q holds neither carbon nor hydrogen", text)
	}
	return f, nil
}

// NewFuel returns the fuel of that name (see Names) or formula. Exactly one of
// lhv and enthalpy [J/kg] is given; the other follows from the complete combustion
// at 298.15 K with the Standard masses of the elements.
func NewFuel(name, formula string, lhv, enthalpy *float64) (Fuel, error) {
	return Standard.NewFuel(name, formula, lhv, enthalpy)
}

// NewFuel is the function NewFuel with the convention's masses of the elements.
func (c Convention) NewFuel(name, formula string, lhv, enthalpy *float64) (Fuel, error) {
	f, known := named[name]
	if formula != "" {
		var err error
		if f, err = ParseFormula(formula); err != nil {
			return Fuel{}, err
		}
	} else if !known {
		return Fuel{}, fmt.Errorf("gas: fuel %q is not one of %s; give its formula, such as C12H23", name,
			strings.Join(Names(), ", "))
	}
	fuel := Fuel{Name: name, Formula: f}
	burn := burnt(f, &c.Atoms)
	h298 := blendEnthalpy(&burn, 298.15)
	switch {
	case lhv != nil && enthalpy == nil:
		fuel.LHV = *lhv
		fuel.Enthalpy = *lhv + h298
	case enthalpy != nil && lhv == nil:
		fuel.Enthalpy = *enthalpy
		fuel.LHV = *enthalpy - h298
	default:
		return Fuel{}, fmt.Errorf("gas: fuel %q: give one of LHV and enthalpy", name)
	}
	if fuel.LHV <= 0 {
		return Fuel{}, fmt.Errorf(
			"gas: fuel %q: its enthalpy of %.6g J/kg leaves a heating value of %.6g J/kg, which must be positive",
			name, fuel.Enthalpy, fuel.LHV)
	}
	return fuel, nil
}

// burnt is what complete combustion of 1 kg of fuel adds to the gas: products
// formed less oxygen used up.
//
//	C_c H_h O_o N_n + (c + h/4 - o/2) O2 -> c CO2 + h/2 H2O + n/2 N2
func burnt(f Formula, a *Atoms) blend {
	m := a.fuel(f)
	var n [nSpecies]float64
	n[CO2] = f.C / m
	n[H2O] = f.H / 2 / m
	n[N2] = f.N / 2 / m
	n[O2] = -(f.C + f.H/4 - f.O/2) / m
	return newBlend(n)
}

func blendEnthalpy(b *blend, T float64) float64 {
	st := state(&b.low, &b.high, T)
	return st.h
}
