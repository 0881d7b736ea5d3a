package config

import (
	"regexp"
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Names: which there are, and what may be one.

const caseRule = "a name of a case is letters, digits and any of _ . + -, first a letter or digit"

// declare enters a component's or shaft's name. Both share one space of names, since paths
// do not say which is meant.
func (r *reader) declare(f document.Field, what, path string, entry *Type, values Values) bool {
	if !nameShape.MatchString(f.Key) {
		r.Fail(f.Pos, path, f.Key, "a name of a %s is letters, digits and _, first a letter", what)
		return false
	}
	if f.Key == "performance" {
		r.Fail(f.Pos, path, f.Key, "the name is taken: performance.Fn and its like are the engine's")
		return false
	}
	if other, ok := r.names[f.Key]; ok {
		r.Fail(f.Pos, path, f.Key, "the name is taken by the %s at line %d", other.what, other.pos.Line)
		return false
	}
	r.names[f.Key] = name{what: what, entry: entry, values: values, pos: f.Pos}
	return true
}

// name is what a name in the file stands for.
type name struct {
	what   string // "component", "shaft", "bus"
	entry  *Type  // parameters and outputs; nil if the type is unknown
	values Values
	pos    document.Pos
}

// listNames returns the names of a kind ("" for all), in alphabetical order.
func (r *reader) listNames(what string) []string {
	var list []string
	for k, n := range r.names {
		if what == "" || n.what == what {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

// moving reports a transient where an operating point is wanted.
func (r *reader) moving(w document.Word, path string) bool {
	if c := r.engine.Case(w.Text); c == nil || c.Kind != "transient" {
		return false
	}
	r.Fail(w.Pos, path, w.Text, "a transient, want an operating point")
	return true
}

// Names stand in paths (hpc.out.Tt), in conditions of rules and in file names.
var (
	nameShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	caseShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)
)
