package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// cases reads the `cases` section, in the order of the file.
func (r *reader) cases(n ast.Node, path string) {
	from := make(map[string]word)
	for _, f := range r.fields(n, path, "a group of cases: name: {set: {...}, solve: [...]}") {
		at := join(path, f.key)
		switch {
		case f.key == r.engine.DesignCase:
			r.fail(f.pos, at, f.key, "the design case has this name; choose another, or name the design with design_case")
			continue
		case !caseShape.MatchString(f.key):
			r.fail(f.pos, at, f.key, caseRule)
			continue
		}
		c := Case{Name: f.key, Kind: "offdesign", Pos: f.pos}
		moving := Transient{Integrator: Integrators[0], Steady: steadies[0], RTol: 1e-6, ATol: 1e-3, FlameOut: flameOuts[0], Controls: true}
		var seen []field
		r.group(f.value, at, "a case such as {set: {ambient.mach: 0.8}, solve: [...]}", append([]key{
			{"kind", false, r.choice(&c.Kind, "offdesign", "transient")},
			{"from", false, func(n ast.Node, path string) {
				if w, ok := r.word(n, path, "the name of a case"); ok {
					c.From, from[c.Name] = w.text, w
				}
			}},
			{"set", false, func(n ast.Node, path string) { c.Set = r.settings(n, path) }},
			{"solve", false, func(n ast.Node, path string) {
				c.Solve = append([]Balance{}, r.balances(n, path, false)...) // an empty list is not nil
			}},
			{"limits", false, func(n ast.Node, path string) { c.Limits = r.limits(n, path) }},
		}, r.transientKeys(&moving, &seen)...))
		r.transient(&c, &moving, seen, at)
		r.engine.Cases = append(r.engine.Cases, c)
	}
	r.ancestry(from)
}

// settings reads a case's `set`.
func (r *reader) settings(n ast.Node, path string) []Setting {
	var list []Setting
	for _, f := range r.fields(n, path, "parameters with values such as {ambient.mach: 0.8}") {
		at := join(path, f.key)
		target := r.canonical(word{text: f.key, pos: f.pos})
		n, p, ok := r.parameter(target, path)
		if !ok || r.constant(n, p, target, path) {
			continue
		}
		w, ok := r.word(f.value, at, p.Want())
		if !ok {
			continue
		}
		if v, ok := r.value(w, at, p); ok {
			list = append(list, Setting{Path: target.text, Value: v, Pos: f.pos})
		}
	}
	return list
}

// ancestry checks that each `from` names a case and that none is its own ancestor.
// The design case as an ancestor becomes the empty name.
func (r *reader) ancestry(from map[string]word) {
	e := r.engine
	known := []string{e.DesignCase}
	for i := range e.Cases {
		known = append(known, e.Cases[i].Name)
	}
	looped := make(map[string]bool)
	for i := range e.Cases {
		c := &e.Cases[i]
		w, ok := from[c.Name]
		if !ok {
			continue
		}
		path := "cases." + c.Name + ".from"
		if w.text == e.DesignCase {
			c.From = ""
			continue
		}
		if !slices.Contains(known, w.text) {
			r.fail(w.pos, path, w.text, "unknown case%s", spell.Hint(w.text, known))
			continue
		}
		if r.moving(w, path) {
			continue
		}
		trail := []string{c.Name}
		for at := w.text; at != "" && !looped[c.Name]; at = from[at].text {
			trail = append(trail, at)
			if slices.Contains(trail[:len(trail)-1], at) {
				r.fail(w.pos, path, w.text, "cases start from each other in a loop: %s", strings.Join(trail, " -> "))
				for _, t := range trail { // one loop, one message
					looped[t] = true
				}
			}
			if looped[at] {
				break
			}
		}
	}
}
