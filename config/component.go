package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

// stationShape is a station number of SAE AS755: 0, 2, 13, 25, 41, 4.5, 18a.
var stationShape = regex.Lazy(`^[0-9]{1,3}(\.[0-9]{1,2})?[A-Za-z]?$`)

// components is the `components` section.
func (r *reader) components() document.Value {
	schema := func() *jsonschema.Schema {
		return document.NamedSchema(nameShape(), byType("What the component is.", "component.", typeNames(r.cat.Types)))
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "a group of components: name: {type: ...}") {
			r.component(f, document.Join(path, f.Key))
		}
	}}
}

// byType is the schema of an entry whose keys depend on its key `type`.
func byType(doc, prefix string, names []string) *jsonschema.Schema {
	kind := document.Value{Schema: func() *jsonschema.Schema { return document.Enum(names...) }}
	return document.ByWord(document.Key{Name: "type", Doc: doc, Value: kind}, prefix, names...)
}

func typeNames(types []*Type) []string {
	return convert.All(types, func(t *Type) string { return t.Name })
}

// typeKey is the key `type`, already read, of entries of a type.
func typeKey(t *Type) document.Key {
	name := any(t.Name)
	return document.Key{Name: "type", Required: true, Doc: t.Doc, Value: document.Value{
		Schema: func() *jsonschema.Schema { return &jsonschema.Schema{Const: &name} }, Read: func(ast.Node, string) {}}}
}

// componentKeys are the keys of a component besides its parameters.
func (r *reader) componentKeys(t *Type, stations *map[string]string) []document.Key {
	return []document.Key{typeKey(t), r.Optional("stations", "Station numbers of SAE AS755 by port.",
		r.stations(stations, t))}
}

func (r *reader) component(f document.Field, path string) {
	c := Component{Name: f.Key, Pos: f.Pos}
	fields := r.Fields(f.Value, path, "a component such as {type: compressor, PR: 13.5}")
	if fields != nil {
		c.Type = r.componentType(f, fields, path)
	}
	if c.Type == nil {
		r.declare(f, "component", path, nil, nil)
		return
	}
	c.Values = r.entry(fields, path, c.Type, r.componentKeys(c.Type, &c.Stations)...)
	if r.declare(f, "component", path, c.Type, c.Values) {
		r.engine.Components = append(r.engine.Components, c)
	}
}

// componentType returns the type that the fields name, or nil.
func (r *reader) componentType(f document.Field, fields []document.Field, path string) *Type {
	names := typeNames(r.cat.Types)
	for _, sub := range fields {
		if sub.Key != "type" {
			continue
		}
		w, ok := r.Word(sub.Value, document.Join(path, sub.Key), "a component type such as compressor")
		if !ok {
			return nil
		}
		t := r.cat.Type(w.Text)
		if t == nil {
			hint := r.Hint(w.Text, names)
			for _, known := range r.cat.Types {
				if slices.Contains(known.Also, strings.ToLower(w.Text)) {
					hint = ", did you mean " + known.Name + "?"
				}
			}
			r.Fail(w.Pos, document.Join(path, sub.Key), w.Text, "unknown component type%s", hint)
		}
		return t
	}
	r.Fail(f.Pos, path, "", "no key type, which every component must have%s", r.Hint(f.Key, names))
	return nil
}

// stations is the key `stations`: the SAE station number of ports.
func (r *reader) stations(dst *map[string]string, t *Type) document.Value {
	keys := func() (keys []document.Key) {
		for _, p := range t.Ports {
			if p.Kind == Flow {
				keys = append(keys, r.Optional(p.Name, p.Doc, r.Text(nil, "")))
			}
		}
		return keys
	}
	read := func(n ast.Node, path string) {
		*dst = make(map[string]string)
		for _, f := range r.Fields(n, path, "port names with station numbers such as {out: 3}") {
			if p := t.Port(f.Key); p == nil || p.Kind != Flow {
				ports := convert.All(keys(), func(k document.Key) string { return k.Name })
				r.Fail(f.Pos, path, f.Key, "%s has no such flow port%s", t.Article(), r.Hint(f.Key, ports))
				continue
			}
			var number string
			rule := document.Rule{Shape: stationShape(), Fault: "want a station number such as 3, 25 or 4.5"}
			r.Shaped(&number, "a station number such as 3", rule).Read(f.Value, document.Join(path, f.Key))
			(*dst)[f.Key] = number
		}
	}
	return document.Value{Read: read, Schema: func() *jsonschema.Schema { return document.Object("", keys()) }}
}

// complete reports missing parameters after file and --set, and fills in defaults.
func (r *reader) complete() {
	e := r.engine
	one := func(at document.Pos, path string, t *Type, v Values) {
		for i := range t.Params {
			if p := &t.Params[i]; p.Required && !v.Has(p.Name) {
				r.Fail(at, path, "", "no key %s, which %s must have: %s", p.Name, t.Article(), p.Want())
			}
		}
		t.defaults(v)
	}
	for _, c := range e.Components {
		one(c.Pos, "components."+c.Name, c.Type, c.Values)
	}
	for _, s := range e.Shafts {
		one(s.Pos, "shafts."+s.Name, r.cat.shaft(), s.Values)
	}
	for _, b := range e.Buses {
		one(b.Pos, "buses."+b.Name, r.cat.bus(), b.Values)
	}
	for _, c := range e.Controls {
		one(c.Pos, "controls."+c.Name, c.Type, c.Values)
	}
	for i, b := range e.Bleeds {
		one(b.Pos, document.Item("bleeds", i), r.cat.bleed(), b.Values)
	}
}

// files reports missing files that the engine names.
func (r *reader) files() {
	e := r.engine
	look := func(at document.Pos, path, file string) {
		var kind *intake.KindError
		switch err := intake.Look(e.Path(file)); {
		case errors.As(err, &kind):
			r.Fail(at, path, file, "%s: %s", kind, e.Path(file))
		case err != nil:
			r.Fail(at, path, file, "no such file: %s", e.Path(file))
		}
	}
	for i := range e.Components {
		c := &e.Components[i]
		for j := range c.Type.Params {
			p := &c.Type.Params[j]
			if v := c.Values[p.Name]; p.Kind == File && v.Set && v.Text != "" {
				look(v.Pos, "components."+c.Name+"."+p.Name, v.Text)
			}
		}
	}
	for i := range e.Zooms {
		if z := &e.Zooms[i]; z.Geometry != "" {
			look(z.Pos, "zoom."+z.Component+".geometry", z.Geometry)
		}
	}
}

// bleeds is the `bleeds` section.
func (r *reader) bleeds() document.Value {
	schema := func() *jsonschema.Schema {
		return document.ListOf(r.cat.bleed().schema(r.bleedKeys(new(Bleed), nil)...))
	}
	return document.Value{Schema: schema, Read: r.readBleeds}
}

func (r *reader) readBleeds(n ast.Node, path string) {
	used := make(map[string]bool)
	for i, it := range r.Items(n, path, "bleeds such as {from: hpc, to: hpt, W: 3 %}") {
		r.bleed(it, document.Item(path, i), used)
	}
	for i := range r.engine.Bleeds { // default names last: given names take precedence
		b := &r.engine.Bleeds[i]
		if b.Name != "" {
			continue
		}
		to := b.To
		to = cmp.Or(to, "overboard")
		base := b.From + "-" + to
		b.Name = base
		for k := 2; used[b.Name]; k++ {
			b.Name = fmt.Sprintf("%s-%d", base, k)
		}
		used[b.Name] = true
	}
	for i := range r.engine.Bleeds {
		b := &r.engine.Bleeds[i]
		r.names[b.Name] = name{what: "bleed", entry: r.cat.bleed(), values: b.Values, pos: b.Pos}
	}
}

func (r *reader) bleed(n ast.Node, path string, used map[string]bool) {
	t := r.cat.bleed()
	b := Bleed{Pos: document.Position(n)}
	fields := r.Fields(n, path, "a bleed such as {from: hpc, to: hpt, W: 3 %}")
	if fields == nil {
		return
	}
	b.Values = r.entry(fields, path, t, r.bleedKeys(&b, used)...)
	if !given(fields, "from") {
		r.Fail(b.Pos, path, "", "no key from: the component that the bleed is taken from")
	}
	r.engine.Bleeds = append(r.engine.Bleeds, b)
}

// bleedKeys are the keys of a bleed besides its parameters.
func (r *reader) bleedKeys(b *Bleed, used map[string]bool) []document.Key {
	rule := document.Rule{Shape: nameShape(), Fault: "a name of a bleed is letters, digits and _, first a letter"}
	rule.Check = func(name string) string {
		if used[name] || r.names[name].what != "" {
			return "the name is taken"
		}
		used[name] = true
		return ""
	}
	return []document.Key{
		r.Optional("name", "Name, default from-to.", r.Shaped(&b.Name, "a name", rule)),
		r.Required("from", "Component that gives the bleed.", r.bleedEnd(&b.From, Out)),
		r.Optional("to", "Component that takes it; without, it leaves the engine.", r.bleedEnd(&b.To, In)),
	}
}

// bleedEnd is the component at one end of a bleed. It must have a bleed port of that direction.
func (r *reader) bleedEnd(dst *string, dir Direction) document.Value {
	return r.Scalar("a component", func(w document.Word, path string) {
		c, ok := r.names[w.Text]
		if !ok || c.what != "component" {
			r.Fail(w.Pos, path, w.Text, "unknown component%s", r.Hint(w.Text, r.listNames("component")))
			return
		}
		*dst = w.Text
		if c.entry == nil || slices.ContainsFunc(c.entry.Ports, func(p Port) bool { return p.Bleed && p.Dir == dir }) {
			return
		}
		verb := "gives"
		if dir == In {
			verb = "takes"
		}
		r.Fail(w.Pos, path, w.Text, "%s %s no bleed", c.entry.Article(), verb)
	})
}
