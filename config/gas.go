package config

import (
	"math"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// fuels are the fuels that need no more than their name: lower heating value at
// 298.15 K, J/kg.
//
//	Jet-A  42.8 MJ/kg, the least that ASTM D1655 allows (18,400 Btu/lbm)
//	JP-7   43.5 MJ/kg, the least that MIL-DTL-38219 allows (18,700 Btu/lbm)
//	H2     241.826 kJ/mol over 2.01588 g/mol
//	CH4    802.29 kJ/mol over 16.04246 g/mol
//
// The molar values follow from the enthalpies of formation at 298.15 K of
// McBride, Zehe and Gordon, NASA/TP-2002-211556: H2O -241.826, CO2 -393.510,
// CH4 -74.600 kJ/mol, water staying gas.
var fuels = []namedFuel{
	{"Jet-A", 42.8e6},
	{"JP-7", 43.5e6},
	{"H2", 241.826e3 / 2.01588e-3},
	{"CH4", (393.510e3 + 2*241.826e3 - 74.600e3) / 16.04246e-3},
}

type namedFuel struct {
	name string
	lhv  float64
}

// formulaShape is a formula of the elements of the exhaust gas, such as C12H23 or C2H5OH.
var formulaShape = regexp.MustCompile(`^([CHON][0-9]*(\.[0-9]+)?)+$`)

// defaultGas is what an engine without a gas section burns.
func (r *reader) defaultGas() {
	lhv := fuels[0].lhv
	r.engine.Gas = Gas{Model: "equilibrium", Fuel: Fuel{Name: fuels[0].name, LHV: &lhv}}
}

// gas reads the `gas` section.
func (r *reader) gas(n ast.Node, path string) {
	g := &r.engine.Gas
	r.defaultGas()
	g.Pos = document.Position(n)
	r.Group(n, path, "a group of model, fuel, WAR and convention", []document.Key{
		document.Optional("model", r.Choice(&g.Model, "frozen", "equilibrium")),
		document.Optional("fuel", r.fuel),
		document.Optional("WAR", func(n ast.Node, path string) {
			g.WARPos = document.Position(n)
			r.Measure(&g.WAR, document.Span{Dim: unit.None, Least: 0, Most: 0.1})(n, path)
		}),
		document.Optional("convention", r.Choice(&g.Convention, "standard", "pycycle")),
	})
}

// fuel reads `gas.fuel`: a name alone, or a group with the fuel's energy.
func (r *reader) fuel(n ast.Node, path string) {
	f := Fuel{Name: fuels[0].name, Pos: document.Position(n)}
	var lhv, enthalpy float64
	problems := len(r.Problems)
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		r.Group(n, path, "a group of name, formula and LHV or enthalpy", []document.Key{
			document.Required("name", r.Text(&f.Name, "a fuel such as Jet-A")),
			document.Optional("formula", r.formula(&f.Formula)),
			document.Optional("LHV", func(n ast.Node, path string) {
				f.LHV = &lhv
				r.Measure(&lhv, document.Span{Dim: unit.SpecificEnergy, Least: 1e6, Most: 2e8})(n, path)
			}),
			document.Optional("enthalpy", func(n ast.Node, path string) {
				f.Enthalpy = &enthalpy
				r.Measure(&enthalpy, document.Span{Dim: unit.SpecificEnergy, Least: math.Inf(-1), Most: 2e8})(n, path)
			}),
		})
	default:
		r.Text(&f.Name, "a fuel such as Jet-A")(n, path)
	}
	if len(r.Problems) > problems {
		return
	}
	known := slices.IndexFunc(fuels, func(k namedFuel) bool { return k.name == f.Name })
	switch {
	case f.LHV != nil && f.Enthalpy != nil:
		r.Fail(f.Pos, path, "", "both LHV and enthalpy; give the one that is known, the other follows")
	case known < 0 && f.Formula == "":
		r.Fail(f.Pos, path, f.Name, "not a fuel known by name (Jet-A, JP-7, H2, CH4): give its formula, such as C12H23")
	case f.LHV != nil || f.Enthalpy != nil:
	case known < 0:
		r.Fail(f.Pos, path, f.Name, "not a fuel known by name (Jet-A, JP-7, H2, CH4): give its LHV or its enthalpy")
	default:
		lhv = fuels[known].lhv
		f.LHV = &lhv
	}
	r.engine.Gas.Fuel = f
}

func (r *reader) formula(dst *string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "a formula such as C12H23")
		if !ok {
			return
		}
		if !formulaShape.MatchString(w.Text) {
			r.Fail(w.Pos, path, w.Text, "want a formula of C, H, O and N such as C12H23")
			return
		}
		*dst = w.Text
	}
}
