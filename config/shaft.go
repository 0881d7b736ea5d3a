package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/spell"
)

// shafts reads the `shafts` section. A component takes part by its shaft port:
// one of direction In takes power (drives), one of direction Out gives it (driven_by).
func (r *reader) shafts(n ast.Node, path string) {
	t := r.cat.shaft()
	on := make(map[string]word) // component -> where it was put on a shaft
	for _, f := range r.fields(n, path, "a group of shafts: name: {drives: [...], driven_by: [...]}") {
		at := join(path, f.key)
		fields := r.fields(f.value, at, "a shaft such as {drives: [fan], driven_by: [lpt]}")
		s := ShaftEntry{Name: f.key, Pos: f.pos}
		s.Values = r.values(fields, at, t, "drives", "driven_by")
		for _, sub := range fields {
			switch sub.key {
			case "drives":
				s.Drives = r.members(sub.value, join(at, sub.key), In, on)
			case "driven_by":
				s.DrivenBy = r.members(sub.value, join(at, sub.key), Out, on)
			}
		}
		if fields != nil && !given(fields, "driven_by") {
			r.undriven(f.pos, at, f.key)
		}
		if r.declare(f, "shaft", at, t, s.Values) {
			r.engine.Shafts = append(r.engine.Shafts, s)
		}
	}
	r.onShaft = on
}

// undriven reports a shaft without a turbine. A turbine that is on no shaft then
// is the same mistake.
func (r *reader) undriven(at Pos, path, text string) {
	r.fail(at, path, text, "nothing drives the shaft; name its turbine: driven_by: [...]")
	r.lostTurbine = true
}

func given(fields []field, key string) bool {
	for _, f := range fields {
		if f.key == key {
			return true
		}
	}
	return false
}

// members reads the components at one side of a shaft.
func (r *reader) members(n ast.Node, path string, dir Direction, on map[string]word) []string {
	nodes := []ast.Node{n}
	if s, ok := n.(*ast.SequenceNode); ok {
		nodes = s.Values
		if len(nodes) == 0 && dir == Out {
			r.undriven(position(n), path, "")
		}
	}
	var list []string
	for _, it := range nodes {
		w, ok := r.word(it, path, "a component")
		if ok && r.member(w, path, dir, on) {
			list = append(list, w.text)
		}
	}
	return list
}

// member checks one component of a shaft.
func (r *reader) member(w word, path string, dir Direction, on map[string]word) bool {
	n, ok := r.names[w.text]
	if !ok || n.what != "component" {
		known := r.listNames("component")
		r.fail(w.pos, path, w.text, "unknown component%s", spell.Hint(w.text, known))
		on[spell.Nearest(w.text, slices.Values(known))] = w
		return false
	}
	if first, twice := on[w.text]; twice {
		r.fail(w.pos, path, w.text, "already on a shaft at line %d, column %d; a component turns with one shaft", first.pos.Line, first.pos.Column)
		return false
	}
	on[w.text] = w
	if n.entry == nil {
		return false
	}
	faces, any := false, false
	for _, p := range n.entry.Ports {
		if p.Kind == Shaft {
			any, faces = true, faces || p.Dir == dir
		}
	}
	switch {
	case !any:
		r.fail(w.pos, path, w.text, "%s has no shaft", n.entry.article())
	case !faces && dir == Out:
		r.fail(w.pos, path, w.text, "%s takes power and drives no shaft; move it to drives", n.entry.article())
	case !faces:
		r.fail(w.pos, path, w.text, "%s gives power and is not driven; move it to driven_by", n.entry.article())
	}
	return any && faces
}

// driven reports components that must be on a shaft and are on none.
func (r *reader) driven() {
	for i := range r.engine.Components {
		c := &r.engine.Components[i]
		if _, ok := r.onShaft[c.Name]; ok {
			continue
		}
		for _, p := range c.Type.Ports {
			if p.Kind == Shaft && !p.Optional && !(p.Dir == Out && r.lostTurbine) {
				key := "drives"
				if p.Dir == Out {
					key = "driven_by"
				}
				r.fail(c.Pos, "components."+c.Name, c.Name, "on no shaft; add it to %s of one in shafts", key)
				break
			}
		}
	}
}
