package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
)

// bleeds reads the `bleeds` section.
func (r *reader) bleeds(n ast.Node, path string) {
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
	b.Values = r.values(fields, path, t, "name", "from", "to")
	for _, f := range fields {
		at := document.Join(path, f.Key)
		switch f.Key {
		case "name":
			w, ok := r.Word(f.Value, at, "a name")
			switch {
			case !ok:
			case !nameShape.MatchString(w.Text):
				r.Fail(w.Pos, at, w.Text, "a name of a bleed is letters, digits and _, first a letter")
			case used[w.Text] || r.names[w.Text].what != "":
				r.Fail(w.Pos, at, w.Text, "the name is taken")
			default:
				b.Name = w.Text
				used[w.Text] = true
			}
		case "from":
			b.From = r.bleedEnd(f.Value, at, Out)
		case "to":
			b.To = r.bleedEnd(f.Value, at, In)
		}
	}
	if !given(fields, "from") {
		r.Fail(b.Pos, path, "", "no key from: the component that the bleed is taken from")
	}
	r.engine.Bleeds = append(r.engine.Bleeds, b)
}

// bleedEnd reads the component at one end of a bleed, which must have a bleed port that way.
func (r *reader) bleedEnd(n ast.Node, path string, dir Direction) string {
	w, ok := r.Word(n, path, "a component")
	if !ok {
		return ""
	}
	c, ok := r.names[w.Text]
	if !ok || c.what != "component" {
		r.Fail(w.Pos, path, w.Text, "unknown component%s", r.Hint(w.Text, r.listNames("component")))
		return ""
	}
	if c.entry == nil {
		return w.Text
	}
	for _, p := range c.entry.Ports {
		if p.Bleed && p.Dir == dir {
			return w.Text
		}
	}
	verb := "gives"
	if dir == In {
		verb = "takes"
	}
	r.Fail(w.Pos, path, w.Text, "%s %s no bleed", c.entry.Article(), verb)
	return w.Text
}
