package config

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

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
		if to == "" {
			to = "overboard"
		}
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
	rule := document.Rule{Shape: nameShape, Fault: "a name of a bleed is letters, digits and _, first a letter"}
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

// bleedEnd is the component at one end of a bleed, which must have a bleed port that way.
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
