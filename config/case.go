package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
)

// cases reads the `cases` section, in the order of the file.
func (r *reader) cases(n ast.Node, path string) {
	from := make(map[string]document.Word)
	for _, f := range r.Fields(n, path, "a group of cases: name: {set: {...}, solve: [...]}") {
		at := document.Join(path, f.Key)
		switch {
		case f.Key == r.engine.DesignCase:
			r.Fail(f.Pos, at, f.Key,
				"the design case has this name; choose another, or name the design with design_case")
			continue
		case !caseShape.MatchString(f.Key):
			r.Fail(f.Pos, at, f.Key, caseRule)
			continue
		}
		c := Case{Name: f.Key, Kind: "offdesign", Pos: f.Pos}
		moving := Transient{Integrator: Integrators[0], Steady: steadies[0], RTol: 1e-6, ATol: 1e-3,
			FlameOut: flameOuts[0], Controls: true}
		var seen []document.Field
		r.Group(f.Value, at, "a case such as {set: {ambient.mach: 0.8}, solve: [...]}", append([]document.Key{
			document.Optional("kind", r.Choice(&c.Kind, "offdesign", "transient")),
			document.Optional("from", func(n ast.Node, path string) {
				if w, ok := r.Word(n, path, "the name of a case"); ok {
					c.From, from[c.Name] = w.Text, w
				}
			}),
			document.Optional("set", func(n ast.Node, path string) { c.Set = r.settings(n, path) }),
			document.Optional("solve", func(n ast.Node, path string) {
				c.Solve = append([]Balance{}, r.balances(n, path, false)...) // an empty list is not nil
			}),
			document.Optional("limits", func(n ast.Node, path string) { c.Limits = r.limits(n, path) }),
		}, r.transientKeys(&moving, &seen)...))
		r.transient(&c, &moving, seen, at)
		r.engine.Cases = append(r.engine.Cases, c)
	}
	r.ancestry(from)
}

// settings reads a case's `set`.
func (r *reader) settings(n ast.Node, path string) []Setting {
	var list []Setting
	for _, f := range r.Fields(n, path, "parameters with values such as {ambient.mach: 0.8}") {
		at := document.Join(path, f.Key)
		target := r.canonical(document.Word{Text: f.Key, Pos: f.Pos})
		n, p, ok := r.parameter(target, path)
		if !ok || r.constant(n, p, target, path) {
			continue
		}
		w, ok := r.Word(f.Value, at, p.Want())
		if !ok {
			continue
		}
		if v, ok := r.value(w, at, p); ok {
			list = append(list, Setting{Path: target.Text, Value: v, Pos: f.Pos})
		}
	}
	return list
}

// ancestry checks that each `from` names a case and that none is its own ancestor.
// The design case as an ancestor becomes the empty name.
func (r *reader) ancestry(from map[string]document.Word) {
	e := r.engine
	known := []string{e.DesignCase}
	for i := range e.Cases {
		known = append(known, e.Cases[i].Name)
	}
	looped := make(map[string]bool)
	ends := make(map[string]bool) // cases from which the way was followed
	for i := range e.Cases {
		c := &e.Cases[i]
		w, ok := from[c.Name]
		if !ok {
			continue
		}
		path := "cases." + c.Name + ".from"
		if w.Text == e.DesignCase {
			c.From = ""
			continue
		}
		if !slices.Contains(known, w.Text) {
			r.Fail(w.Pos, path, w.Text, "unknown case%s", r.Hint(w.Text, known))
			continue
		}
		if r.moving(w, path) {
			continue
		}
		trail, met := []string{c.Name}, map[string]bool{c.Name: true}
		for at := w.Text; at != "" && !ends[at] && !looped[c.Name]; at = from[at].Text {
			trail = append(trail, at)
			if met[at] {
				r.Fail(w.Pos, path, w.Text, "cases start from each other in a loop: %s", strings.Join(trail, " -> "))
				for _, t := range trail { // one loop, one message
					looped[t] = true
				}
			}
			if looped[at] {
				break
			}
			met[at] = true
		}
		for _, t := range trail {
			ends[t] = true
		}
	}
}
