package components

import (
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
