package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Limits keep an operating point within what the engine bears: the target of a
// balance gives way to the first limit that would be passed.

const limitForm = "a limit such as {path: hpt.rotor.Tt, max: 1700 K}"

// limits is a list of limits, of the engine or of a case.
func (r *reader) limits(dst *[]Limit) document.Value {
	schema := func() *jsonschema.Schema { return document.ListOf(document.Ref("limit")) }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		seen := make(map[string]document.Pos)
		for i, it := range r.Items(n, path, "limits such as {path: hpt.rotor.Tt, max: 1700 K}") {
			at := document.Item(path, i)
			l := r.limit(it, at)
			if first, twice := seen[l.Path]; twice && l.Path != "" {
				r.Fail(l.Pos, at+".path", l.Path, "limited already at line %d; one entry may have min and max",
					first.Line)
			}
			seen[l.Path] = l.Pos
			*dst = append(*dst, l)
		}
	}}
}

func (r *reader) limitKeys(l *Limit, what *document.Word) []document.Key {
	gives := func(w document.Word, path string) {
		if r.varied(w, path) != nil {
			l.Vary = w.Text
			r.yields = append(r.yields, yield{w, path})
		}
	}
	return []document.Key{
		r.Required("path", "Output, such as hpt.rotor.Tt.",
			r.path("the path of an output such as hpt.rotor.Tt", func(w document.Word, _ string) { *what = w })),
		r.Optional("min", "Least value of the output.", laterQuantity),
		r.Optional("max", "Largest value of the output.", laterQuantity),
		r.Optional("vary", "Varied parameter whose target gives way; default the first of solve.",
			r.path("the path of a parameter that gives way, such as burner.FAR", gives)),
	}
}

func (r *reader) limitSchema() *jsonschema.Schema {
	keys := r.limitKeys(new(Limit), new(document.Word))
	s := document.Object("An output that an operating point must not pass.", keys)
	s.AnyOf = []*jsonschema.Schema{{Required: []string{"min"}}, {Required: []string{"max"}}}
	return s
}

func (r *reader) limit(n ast.Node, path string) Limit {
	l := Limit{Pos: document.Position(n)}
	var what document.Word
	g := r.Group(n, path, limitForm, r.limitKeys(&l, &what))
	if what.Text == "" { // reported
		return l
	}
	if !g.Has("min") && !g.Has("max") {
		r.Fail(l.Pos, path, "", "no key min or max; want %s", limitForm)
	}
	dim, ok := r.observable(what, path+".path")
	if !ok {
		return l
	}
	l.Path, l.Dim = what.Text, dim
	l.Min, l.Max = r.bounds(g, path, dim)
	return l
}

// yielding checks that what gives way to a limit is varied by some balance. Which
// balances a case solves with follows from the cases that it is from, so that a
// single case's list cannot tell.
func (r *reader) yielding() {
	var varied []string
	add := func(list []Balance) {
		for _, b := range list {
			if !slices.Contains(varied, b.Vary) {
				varied = append(varied, b.Vary)
			}
		}
	}
	add(r.engine.Design)
	for i := range r.engine.Cases {
		add(r.engine.Cases[i].Solve)
	}
	for i := range r.engine.Sweeps {
		add(r.engine.Sweeps[i].Solve)
	}
	for _, y := range r.yields {
		if !slices.Contains(varied, y.param.Text) {
			r.Fail(y.param.Pos, y.path, y.param.Text, "no balance varies it, so it cannot give way%s",
				r.Hint(y.param.Text, varied))
		}
	}
}
