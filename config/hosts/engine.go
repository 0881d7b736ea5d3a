package hosts

// What the engine of provider command prints, and how it is read.

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// phases are what states can say of a block, in the order of its life; package provider has their meaning.
var phases = []string{"waiting", "running", "stuck", "ended"}

// groups are the names that groups of Launcher.Line may have.
var groups = []string{"id", "state", "name", "reason", "node"}

// expression is a regular expression, with groups that it must and may have.
type expression struct {
	to    *string
	needs []string // names; nil: one group, named or not
}

func (v expression) read(r *document.Reader, n ast.Node, path string) {
	w, ok := r.Word(n, path, "a regular expression (RE2)")
	if !ok {
		return
	}
	x, err := regexp.Compile(w.Text)
	var wrong *syntax.Error
	switch {
	case errors.As(err, &wrong):
		r.Fail(w.Pos, path, w.Text, "no regular expression (RE2): %s: %s", wrong.Code, wrong.Expr)
		return
	case v.needs == nil:
		if x.NumSubexp() == 0 {
			r.Fail(w.Pos, path, w.Text, "no group; want one around the ID, such as (\\d+)")
		}
	default:
		v.named(r, w, path, x.SubexpNames()[1:])
	}
	*v.to = w.Text
}

// named reports groups that are missing, unknown or there twice.
func (v expression) named(r *document.Reader, w document.Word, path string, names []string) {
	seen := map[string]bool{}
	for _, name := range names {
		switch {
		case name == "":
		case !slices.Contains(groups, name):
			r.Fail(w.Pos, path, w.Text, "unknown group %s%s", name, r.Hint(name, groups))
		case seen[name]:
			r.Fail(w.Pos, path, w.Text, "the group %s is there twice", name)
		}
		seen[name] = true
	}
	for _, name := range v.needs {
		if !seen[name] {
			r.Fail(w.Pos, path, w.Text, "no group %s; want (?P<%s>...)", name, name)
		}
	}
}

func (expression) schema() *jsonschema.Schema { return rule{}.schema() }
func (expression) form() string               { return "" }

// states are phases by the engine's words.
type states struct{ to *map[string]string }

func (v states) read(r *document.Reader, n ast.Node, path string) {
	*v.to = map[string]string{}
	for _, f := range r.Fields(n, path, "phases by the engine's words such as {Q: waiting, R: running}") {
		var phase string
		r.Choice(&phase, phases...)(f.Value, document.Join(path, f.Key))
		if phase != "" {
			(*v.to)[f.Key] = phase
		}
	}
}
func (states) schema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: choice[string]{words: phases}.schema()}
}
func (states) form() string { return "" }
