package hosts

// Output of the engine of provider command, and its reading.

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
)

// phases are the possible states of a block, in the order of its life; package provider defines them.
var phases = []string{"waiting", "running", "stuck", "ended"}

// groups are the names that groups of Launcher.Line may have.
var groups = []string{"id", "state", "name", "reason", "node"}

// expression is a regular expression with the groups in needs. Without needs it requires one group, named or not.
func expression(r *document.Reader, to *string, needs ...string) document.Value {
	v := r.Text(to, "a regular expression (RE2)")
	v.Read = func(n ast.Node, path string) {
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
		case needs == nil && x.NumSubexp() == 0:
			r.Fail(w.Pos, path, w.Text, "no group; want one around the ID, such as (\\d+)")
		case needs != nil:
			namedGroups(r, w, path, needs, x.SubexpNames()[1:])
		}
		*to = w.Text
	}
	return v
}

// namedGroups reports missing, unknown and duplicate groups.
func namedGroups(r *document.Reader, w document.Word, path string, needs, names []string) {
	seen := map[string]bool{}
	for _, name := range names {
		switch {
		case name == "":
		case !slices.Contains(groups, name):
			r.Fail(w.Pos, path, w.Text, "unknown group %s%s", name, r.Hint(name, groups))
		case seen[name]:
			r.Fail(w.Pos, path, w.Text, "the group %s is listed twice", name)
		}
		seen[name] = true
	}
	for _, name := range needs {
		if !seen[name] {
			r.Fail(w.Pos, path, w.Text, "no group %s; want (?P<%s>...)", name, name)
		}
	}
}

// states are phases by the engine's words.
func states(r *document.Reader, to *map[string]string) document.Value {
	return document.Map(r, to, "phases by the engine's words such as {Q: waiting, R: running}", nil, "",
		func(phase *string) document.Value { return r.Choice(phase, phases...) })
}
