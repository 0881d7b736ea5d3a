package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// cases is the `cases` section.
func (r *reader) cases() document.Value {
	schema := func() *jsonschema.Schema {
		keys := r.caseKeys(new(Case), new(Transient), map[string]document.Word{})
		return document.NamedSchema(caseShape(),
			document.Object("An operating point, or a transient, which has a duration.", keys))
	}
	return document.Value{Schema: schema, Read: r.readCases}
}

// readCases reads the cases in the order of the file.
func (r *reader) readCases(n ast.Node, path string) {
	from := make(map[string]document.Word)
	for _, f := range r.Fields(n, path, "a group of cases: name: {set: {...}, solve: [...]}") {
		at := document.Join(path, f.Key)
		switch {
		case f.Key == r.engine.DesignCase:
			r.Fail(f.Pos, at, f.Key,
				"the design case has this name; choose another, or name the design with design_case")
			continue
		case !caseShape().MatchString(f.Key):
			r.Fail(f.Pos, at, f.Key, caseRule)
			continue
		}
		c, moving := Case{Name: f.Key, Pos: f.Pos}, Transient{Controls: true}
		g := r.Group(f.Value, at, "a case such as {set: {ambient.mach: 0.8}, solve: [...]}",
			r.caseKeys(&c, &moving, from))
		r.transient(&c, &moving, g, at)
		r.engine.Cases = append(r.engine.Cases, c)
	}
	r.ancestry(from)
}

func (r *reader) caseKeys(c *Case, t *Transient, from map[string]document.Word) []document.Key {
	return append([]document.Key{
		r.Optional("kind", "What is computed.", r.Choice(&c.Kind, "offdesign", "transient").Default("offdesign")),
		r.Optional("from", "Case whose settings this one starts from; without, the design.",
			r.Scalar("the name of a case", func(w document.Word, _ string) { c.From, from[c.Name] = w.Text, w })),
		r.Optional("set", "Parameters by path, such as ambient.mach: 0.8.", r.settings(&c.Set)),
		r.Optional("solve", "Balances of this case.", r.balances(&c.Solve, false)),
		r.Optional("limits", "Limits of this case, besides those of the engine.", r.limits(&c.Limits)),
	}, r.transientKeys(t)...)
}

// settings is a case's `set`.
func (r *reader) settings(dst *[]Setting) document.Value {
	schema := func() *jsonschema.Schema { return byPath(document.TextSchema("A value of the parameter.")) }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
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
				*dst = append(*dst, Setting{Path: target.Text, Value: v, Pos: f.Pos})
			}
		}
	}}
}

// ancestry checks that each `from` names a case and that no case is its own ancestor. The design case as an ancestor
// becomes the empty name.
func (r *reader) ancestry(from map[string]document.Word) {
	e := r.engine
	known := []string{e.DesignCase}
	for i := range e.Cases {
		known = append(known, e.Cases[i].Name)
	}
	looped := make(map[string]bool)
	ends := make(map[string]bool) // cases whose ancestors have been checked
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
				for _, t := range trail { // one message for each loop
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
