package config

import (
	"math"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/regex"
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
var formulaShape = regex.Lazy(`^([CHON][0-9]*(\.[0-9]+)?)+$`)

// defaultGas is the fuel of an engine without a gas section.
func (r *reader) defaultGas() {
	lhv := fuels[0].lhv
	r.engine.Gas = Gas{Model: "equilibrium", Fuel: Fuel{Name: fuels[0].name, LHV: &lhv}}
}

// gas is the `gas` section.
func (r *reader) gas() document.Value {
	g := &r.engine.Gas
	keys := []document.Key{
		r.Optional("model", "Composition of the burnt gas: complete combustion, or chemical equilibrium.",
			r.Choice(&g.Model, "frozen", "equilibrium").Implied("equilibrium")),
		r.Optional("fuel", "What burns: a fuel known by name, or a group of its name and energy.", r.fuel()),
		r.Optional("WAR", "Water in the ambient air, by mass of dry air", r.Measure(&g.WAR, unit.None, 0, 0.1).
			Then(func(n ast.Node, _ string) { g.WARPos = document.Position(n) }).Implied(0)),
		r.Optional("convention", "Atomic masses and the pressure of tabulated entropies; pycycle is for comparison "+
			"with its results.", r.Choice(&g.Convention, "standard", "pycycle").Implied("standard")),
	}
	v := r.Section("a group of model, fuel, WAR and convention", keys)
	read := v.Read
	v.Read = func(n ast.Node, path string) {
		g.Pos = document.Position(n)
		read(n, path)
	}
	return v
}

// fuelKeys are the keys of `gas.fuel`.
func (r *reader) fuelKeys(f *Fuel) []document.Key {
	energy := func(dst **float64, least float64) document.Value {
		x := new(float64)
		v := r.Measure(x, unit.SpecificEnergy, least, 2e8)
		return v.Then(func(ast.Node, string) { *dst = x })
	}
	formula := document.Rule{Shape: formulaShape(), Fault: "want a formula of C, H, O and N such as C12H23"}
	return []document.Key{
		r.Required("name", "Jet-A, JP-7, H2, CH4 or a name of one's own.", r.Text(&f.Name, "a fuel such as Jet-A")),
		r.Optional("formula", "Atoms of C, H, O and N, such as C12H23.",
			r.Shaped(&f.Formula, "a formula such as C12H23", formula)),
		r.Optional("LHV", "Lower heating value at 298.15 K", energy(&f.LHV, 1e6)),
		r.Optional("enthalpy", "Absolute enthalpy as it enters, elements at 298.15 K being 0",
			energy(&f.Enthalpy, math.Inf(-1))),
	}
}

// fuel is `gas.fuel`: a name alone, or a group with the fuel's energy.
func (r *reader) fuel() document.Value {
	schema := func() *jsonschema.Schema {
		group := document.Object("The fuel and one measure of its energy; named fuels need none.",
			r.fuelKeys(new(Fuel)))
		group.Not = &jsonschema.Schema{Required: []string{"LHV", "enthalpy"}}
		return document.Either(document.TextSchema("A fuel that is known by name."), group)
	}
	return document.Value{Schema: schema, Read: r.readFuel}
}

func (r *reader) readFuel(n ast.Node, path string) {
	f := Fuel{Name: fuels[0].name, Pos: document.Position(n)}
	problems := len(r.Problems)
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		r.Group(n, path, "a group of name, formula and LHV or enthalpy", r.fuelKeys(&f))
	default:
		r.Text(&f.Name, "a fuel such as Jet-A").Read(n, path)
	}
	if len(r.Problems) > problems {
		return
	}
	known := slices.IndexFunc(fuels, func(k namedFuel) bool { return k.name == f.Name })
	switch {
	case f.LHV != nil && f.Enthalpy != nil:
		r.Fail(f.Pos, path, "", "both LHV and enthalpy; give one, the other follows")
	case known < 0 && f.Formula == "":
		r.Fail(f.Pos, path, f.Name, "not a fuel known by name (Jet-A, JP-7, H2, CH4): give its formula, such as C12H23")
	case f.LHV != nil || f.Enthalpy != nil:
	case known < 0:
		r.Fail(f.Pos, path, f.Name, "not a fuel known by name (Jet-A, JP-7, H2, CH4): give its LHV or its enthalpy")
	default:
		lhv := fuels[known].lhv
		f.LHV = &lhv
	}
	r.engine.Gas.Fuel = f
}
