package gas

import "fmt"

// Atoms are the masses of the elements, kg/kmol.
type Atoms struct{ C, H, O, N, Ar float64 }

// Convention holds the data in which two correct programs may differ: the masses of the elements, which set the number
// of molecules from a kilogram of fuel, the pressure at which entropies are tabulated, and the age of the data for OH
// and HO2.
type Convention struct {
	Name             string
	Atoms            Atoms
	StandardPressure float64 // Pa
	OH, HO2          float64 // enthalpy of formation above that of NASA/TP-2002-211556, J/kmol
}

// Standard is the convention of everything here that names no other: the data of
// NASA/TP-2002-211556 with the masses behind its molar masses, entropies at 1 bar.
var Standard = Convention{
	Name:             "standard",
	Atoms:            Atoms{C: 12.0107, H: 1.00794, O: 15.9994, N: 14.00674, Ar: 39.948},
	StandardPressure: 1e5,
}

// PyCycle is the convention of pyCycle's CEA tables: carbon of 12.017 kg/kmol; NASA-9 entropies, which are valid at 1
// bar, used at 1 atm; and the enthalpies of formation of OH and HO2 of older CEA data, 39.34 and 12.55 kJ/mol, where
// NASA/TP-2002-211556 has 37.28 and 12.02. At 2000 K and 10 bar these alone change h by up to 0.5 kJ/kg.
var PyCycle = Convention{
	Name:             "pycycle",
	Atoms:            Atoms{C: 12.017, H: 1.00794, O: 15.9994, N: 14.00674, Ar: 39.948},
	StandardPressure: 101325,
	OH:               248.469245 * Ru,
	HO2:              63.98453 * Ru,
}

// ConventionOf returns the convention of that name, Standard for "".
func ConventionOf(name string) (Convention, error) {
	switch name {
	case "", Standard.Name:
		return Standard, nil
	case PyCycle.Name:
		return PyCycle, nil
	}
	return Convention{}, fmt.Errorf("gas: convention %q is not known; use %s or %s", name, Standard.Name, PyCycle.Name)
}

// fuel is the molar mass of a fuel, kg/kmol.
func (a *Atoms) fuel(f Formula) float64 {
	return a.C*f.C + a.H*f.H + a.O*f.O + a.N*f.N
}

// species is the molar mass of a major species, kg/kmol.
func (a *Atoms) species(j int) float64 {
	switch j {
	case N2:
		return 2 * a.N
	case O2:
		return 2 * a.O
	case Ar:
		return a.Ar
	case CO2:
		return a.C + 2*a.O
	default:
		return 2*a.H + a.O
	}
}
