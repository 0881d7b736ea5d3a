package gas

import (
	"fmt"
	"sort"
	"strings"
)

// Fuel is the burnt substance: C, H, O and N, with the enthalpy at which it enters the burner.
type Fuel struct {
	Name     string
	Formula  Formula
	Enthalpy float64 // J/kg, absolute, as it enters
	LHV      float64 // J/kg, lower heating value at 298.15 K that belongs to Enthalpy
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

// NewFuel returns the fuel with the name (see Names) or formula. Exactly one of lhv and enthalpy [J/kg] is given; the
// other follows from the complete combustion at 298.15 K with the Standard masses of the elements.
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

// burnt is the change of the gas by complete combustion of 1 kg of fuel: products formed less oxygen used up.
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
