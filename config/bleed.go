package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// bleeds reads the `bleeds` section.
func (r *reader) bleeds(n ast.Node, path string) {
	used := make(map[string]bool)
	for i, it := range r.items(n, path, "bleeds such as {from: hpc, to: hpt, W: 3 %}") {
		r.bleed(it, item(path, i), used)
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
	b := Bleed{Pos: position(n)}
	fields := r.fields(n, path, "a bleed such as {from: hpc, to: hpt, W: 3 %}")
	if fields == nil {
		return
	}
	b.Values = r.values(fields, path, t, "name", "from", "to")
	for _, f := range fields {
		at := join(path, f.key)
		switch f.key {
		case "name":
			w, ok := r.word(f.value, at, "a name")
			switch {
			case !ok:
			case !nameShape.MatchString(w.text):
				r.fail(w.pos, at, w.text, "a name of a bleed is letters, digits and _, first a letter")
			case used[w.text] || r.names[w.text].what != "":
				r.fail(w.pos, at, w.text, "the name is taken")
			default:
				b.Name = w.text
				used[w.text] = true
			}
		case "from":
			b.From = r.bleedEnd(f.value, at, Out)
		case "to":
			b.To = r.bleedEnd(f.value, at, In)
		}
	}
	if !given(fields, "from") {
		r.fail(b.Pos, path, "", "no key from: the component that the bleed is taken from")
	}
	r.engine.Bleeds = append(r.engine.Bleeds, b)
}

// bleedEnd reads the component at one end of a bleed, which must have a bleed port that way.
func (r *reader) bleedEnd(n ast.Node, path string, dir Direction) string {
	w, ok := r.word(n, path, "a component")
	if !ok {
		return ""
	}
	c, ok := r.names[w.text]
	if !ok || c.what != "component" {
		r.fail(w.pos, path, w.text, "unknown component%s", spell.Hint(w.text, r.listNames("component")))
		return ""
	}
	if c.entry == nil {
		return w.text
	}
	for _, p := range c.entry.Ports {
		if p.Bleed && p.Dir == dir {
			return w.text
		}
	}
	verb := "gives"
	if dir == In {
		verb = "takes"
	}
	r.fail(w.pos, path, w.text, "%s %s no bleed", c.entry.article(), verb)
	return w.text
}
