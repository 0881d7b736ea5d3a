package components

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A file names parameters, ports and outputs by their names alone, and all of them are
// documented.
func TestDeclarationsNameAndDocumentAll(t *testing.T) {
	cat := Catalogue()
	kinds := map[string]bool{}
	for _, typ := range append(cat.Types, cat.Shaft, cat.Bus, cat.Bleed) {
		if kinds[typ.Name] {
			t.Errorf("there are two kinds %s", typ.Name)
		}
		kinds[typ.Name] = true
		if !strings.HasSuffix(typ.Doc, ".") {
			t.Errorf("%s: %q is no sentence", typ.Name, typ.Doc)
		}
		if typ.Zoomable {
			c, d, err := New(&config.Component{Type: typ, Values: config.Values{"eff": {Num: 0.9}}})
			if _, ok := c.(Responder); err != nil || ok == (d.LawUse != nil) {
				t.Errorf("%s: a solver's answers cannot take the place of a map or of parameters: %v", typ.Name, err)
			}
		}
		seen := map[string]bool{}
		item := func(list, name, doc string) {
			if name == "" || seen[list+name] {
				t.Errorf("%s: %s %q is there twice or has no name", typ.Name, list, name)
			}
			seen[list+name] = true
			if doc == "" || strings.HasSuffix(doc, ".") {
				t.Errorf("%s: %s %s has the doc %q", typ.Name, list, name, doc)
			}
		}
		for _, p := range typ.Ports {
			item("port", p.Name, p.Doc)
		}
		for _, o := range typ.Outputs {
			item("output", o.Name, o.Doc)
			if o.By != "" && typ.Param(o.By) == nil {
				t.Errorf("%s: %s goes by %s, which is no parameter", typ.Name, o.Name, o.By)
			}
		}
		for _, p := range typ.Params {
			item("parameter", p.Name, p.Doc)
			v, number := p.Default.(float64)
			if number && p.Max > p.Min && (v < p.Min || v > p.Max) {
				t.Errorf("%s: the default %g of %s is not within its bounds", typ.Name, v, p.Name)
			}
			if p.Required && p.Default != nil {
				t.Errorf("%s: %s is required and has a default", typ.Name, p.Name)
			}
		}
	}
}

// whole declares one of each.
type whole struct {
	x, mn, area float64
	given, flag bool
	word        string
	in          *flow.Station
	inner, out  flow.Station
	shaft       Coupling
	bleeds      []*Bleed
}

func (w *whole) Eval(*Context) error { return nil }

func (w *whole) Declare(d *Declaration) {
	d.Describe("whole", "Whole.")
	d.Number("x", &w.x, unit.Mass, "a mass").Default(2).Within(1, 3).DesignOnly().Given(&w.given)
	d.Word("word", &w.word, "a word", "one", "two").Default("two")
	d.Flag("flag", &w.flag, "a flag")
	d.Number("y", &w.mn, unit.None, "must be given").Required()
	d.In("in", &w.in, "in").Stream(1)
	d.Out("out", &w.out, "out").Sized(&w.mn, &w.area)
	d.Inside("inner", &w.inner, "within")
	d.DrivenBy("shaft", &w.shaft)
	d.BleedsOut("bleeds", &w.bleeds, "bleeds")
	d.OutputBy("x", 0, 9, "z", &w.x, unit.Mass, "as x")
}

// The user's description of a component and the executive's lists agree.
func TestDeclaration(t *testing.T) {
	w := &whole{}
	d := must.Value(Declare(w, config.Values{"x": {Num: 2.5}, "word": {Text: "one"}, "flag": {Flag: true}}))(t)
	if w.x != 2.5 || !w.given || w.word != "one" || !w.flag {
		t.Errorf("the values did not arrive: %+v", w)
	}
	want := config.Type{
		Name: "whole", Doc: "Whole.",
		Params: []config.Param{
			{Name: "x", Kind: config.Number, Dim: unit.Mass, Default: 2.0, Min: 1, Max: 3, Doc: "a mass"},
			{Name: "word", Kind: config.Word, Words: []string{"one", "two"}, Default: "two", Doc: "a word"},
			{Name: "flag", Kind: config.Flag, Default: false, Doc: "a flag"},
			{Name: "y", Kind: config.Number, Dim: unit.None, Required: true, Doc: "must be given"},
		},
		Ports: []config.Port{
			{Name: "in", Kind: config.Flow, Dir: config.In, Stream: 1, Doc: "in"},
			{Name: "out", Kind: config.Flow, Dir: config.Out, Doc: "out"},
			{Name: "inner", Kind: config.Flow, Dir: config.Out, Internal: true, Doc: "within"},
			{Name: "shaft", Kind: config.Shaft, Dir: config.In, Doc: "the shaft that drives it"},
			{Name: "bleeds", Kind: config.Flow, Dir: config.Out, Optional: true, Bleed: true, Doc: "bleeds"},
		},
		Outputs: []config.Output{{Name: "z", Dim: unit.Mass, Doc: "as x", By: "x", Max: 9}},
	}
	must.Equal(t, want, d.Type)
	if n := d.Numbers[0]; !n.DesignOnly || d.Numbers[1].DesignOnly || len(d.Numbers) != 2 {
		t.Errorf("numbers: %+v", d.Numbers)
	}
	if o := d.Outlets; len(o) != 2 || o[0].At != &w.inner || !o[0].Internal || o[1].At != &w.out || o[1].MN != &w.mn ||
		o[1].Area != &w.area {
		t.Errorf("outlets: %+v", o)
	}
	if len(d.Fixed) != 1 || d.Fixed[0] != &w.area {
		t.Error("the design does not fix the area")
	}
}

// An engine's state is its parameters, its unknowns and what Fix declares: a component that is given those of another
// one computes the same off design. What flows in flows out, at rest.
func TestStateOfAComponentIsDeclared(t *testing.T) {
	tried := 0
	for _, typ := range Catalogue().Types {
		if typ.Param("map") != nil {
			continue // the executive makes the map
		}
		tried++
		a, b := alone(t, typ), alone(t, typ)
		a.eval(t, Design, 50)
		if in, out := a.flows(); in > 0 && typ.Name != "nozzle" && !(math.Abs(in-out) < 1e-9*in) {
			t.Errorf("%s: %g kg/s enter and %g leave: does Eval give each outlet its flow, as areaFree does?",
				typ.Name, in, out)
		}
		for i, at := range a.d.Fixed {
			*b.d.Fixed[i] = *at
		}
		for i, u := range a.d.Unknowns {
			*b.d.Unknowns[i].At = *u.At
		}
		a.eval(t, OffDesign, 45)
		b.eval(t, OffDesign, 45)
		same := func(name string, x, y float64) {
			if !(math.Abs(x-y) <= 1e-6*math.Abs(x)+1e-12) && !(math.IsNaN(x) && math.IsNaN(y)) {
				t.Errorf("%s: %s is %g off design, %g in a copy: Declare lists too few of d.Fix's values",
					typ.Name, name, x, y)
			}
		}
		for i, o := range a.d.Outlets {
			same(o.Port+".Pt", o.At.P, b.d.Outlets[i].At.P)
			same(o.Port+".ht", o.At.H, b.d.Outlets[i].At.H)
			same(o.Port+".W", o.At.W, b.d.Outlets[i].At.W)
		}
		for i, r := range a.d.Residuals {
			same("residual "+r.Name, *r.At, *b.d.Residuals[i].At)
		}
		for i, o := range a.d.Outputs {
			same(o.Name, *o.At, *b.d.Outputs[i].At)
		}
	}
	if tried < 10 {
		t.Errorf("%d kinds were tried", tried)
	}
}

// single is a component outside any engine: air flows in, its shafts turn at one speed.
type single struct {
	name  string
	c     Component
	d     *Declaration
	speed float64
}

// alone makes one of a kind, with required parameters near their least values.
func alone(t *testing.T, typ *config.Type) *single {
	given := map[string]any{}
	for _, p := range typ.Params {
		if p.Required {
			given[p.Name] = p.Min + 0.1*(p.Max-p.Min)
		}
	}
	if typ.Name == "mixer" {
		given["MN_core"] = 0.3
	}
	if typ.Param("loss") != nil {
		given["loss"] = "quadratic" // of the design's
	}
	s := &single{name: typ.Name, speed: 5000}
	s.c, s.d = build(t, typ.Name, given)
	for i := range s.d.Couplings {
		s.d.Couplings[i].At.N = &s.speed
	}
	if s.d.Free != nil {
		*s.d.Free = &Freestream{Ps: 1e5, Ts: 288}
	}
	return s
}

// eval evaluates it with w kg/s at each inlet.
func (s *single) eval(t *testing.T, mode Mode, w float64) {
	x := design(t)
	x.Mode = mode
	for _, in := range s.d.Inlets {
		*in.At = inflow(t, x, w, 400, 3e5, 0)
	}
	var early error
	if s.d.Early != nil {
		early = s.d.Early.Eval(x)
	}
	if err := errors.Join(early, s.c.Eval(x)); err != nil {
		t.Errorf("%s alone, %g kg/s: %v", s.name, w, err)
	}
}

// flows returns what enters and what leaves, kg/s.
func (s *single) flows() (in, out float64) {
	for _, i := range s.d.Inlets {
		in += (*i.At).W
	}
	if s.d.Fuel != nil {
		in += *s.d.Fuel
	}
	for _, o := range s.d.Outlets {
		if !o.Internal {
			out += o.At.W
		}
	}
	return in, out
}

// A type named as in another program is an error that gives the name here; no two types share such a name.
func TestTypesOfOtherPrograms(t *testing.T) {
	used := map[string]string{}
	for _, typ := range Catalogue().Types {
		for _, name := range typ.Also {
			if by, twice := used[name]; twice || Catalogue().Type(name) != nil {
				t.Errorf("%s: also of %q", name, by)
			}
			used[name] = typ.Name
		}
	}
	for name, want := range map[string]string{"combustor": "burner", "HPT": "turbine", "intake": "inlet",
		"recuperator": "heat_exchanger"} {
		_, err := config.Parse("x.yaml", []byte("engine: x\ncomponents:\n  a: {type: "+name+"}\nflow: [a -> a]\n"),
			Catalogue(), nil)
		if err == nil || !strings.Contains(err.Error(), `unknown component type, did you mean `+want+"?") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A parameter named as in NPSS or pyCycle, and a number where there is a word of nearly the same name, are errors that
// name the parameter here; it is not reported as missing as well.
func TestParametersOfOtherPrograms(t *testing.T) {
	_, err := config.Parse("x.yaml", []byte(`engine: x
components:
  a: {type: ambient, MN: 0.8}
  i: {type: inlet, eRamBase: 1}
  j: {type: inlet, recovery: 75 %}
  f: {type: compressor, PRdes: 2, effPolytropic: 90 %}
flow: [a -> i -> j -> f]
shafts:
  s: {Nmech: 3000 rpm, HPX: 100 kW, drives: [f]}
cases:
  c: {set: {a.MN: 0.7}}
`), Catalogue(), nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`components.a: "MN": unknown key of an ambient, did you mean mach?`,
		`components.i: "eRamBase": unknown key of an inlet, did you mean ram_recovery?`,
		`components.j.recovery: "75 %": unknown word, did you mean ram_recovery: 75 %?`,
		`components.f: "PRdes": unknown key of a compressor, did you mean PR?`,
		`components.f: "effPolytropic": unknown key of a compressor, did you mean effPoly?`,
		`shafts.s: "Nmech": unknown key of a shaft, did you mean N?`,
		`shafts.s: "HPX": unknown key of a shaft, did you mean offtake?`,
		`cases.c.set: "a.MN": unknown parameter of an ambient, did you mean mach?`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(err.Error(), "no key N") {
		t.Error("a misnamed key is missing as well")
	}
	if t.Failed() {
		t.Log(err)
	}
}

// A heat exchanger in a chain needs the name of its inlet alone, and no name where one inlet is left: its outlet
// follows.
func TestStreamOfABareName(t *testing.T) {
	for chain, want := range map[string]string{
		"a -> rec -> d -> rec -> n":     "rec has several free inlets, name one: rec.cold or rec.hot",
		"a -> rec -> d -> rec.hot -> n": "",
	} {
		_, err := config.Parse("x.yaml", []byte(`engine: x
components: {a: {type: ambient}, d: {type: duct}, rec: {type: heat_exchanger, effectiveness: 0.8}, n: {type: nozzle}}
flow: [`+chain+`]
`), Catalogue(), nil)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", chain, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "outlets")):
			t.Errorf("%s: %v", chain, err)
		}
	}
}
