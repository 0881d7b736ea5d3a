package config

import (
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

// reader converts the tree of an engine file into an Engine.
type reader struct {
	document.Reader
	cat    *Catalogue
	engine *Engine
	own    bool // the rules are built into the program

	// names are the components and shafts of the file, including faulty entries: a faulty entry must not make every
	// mention of it an unknown name.
	names map[string]name

	taken map[Endpoint]stop // flow ports that chains connect, and where
	// components whose missing connections follow from a mistake that was reported
	excused     map[string]bool
	lostChain   bool                       // an unreadable chain was reported: its connections are unknown
	joined      map[Endpoint]document.Word // ports that shafts and buses name, and where
	lostTurbine bool                       // a shaft without a turbine was reported
	// a signal, or the moves of a control, were reported: dependent values are unknown
	lost   bool
	points []designPoint // cases that targets of the design name, before cases are read
	yields []yield       // parameters that give way to limits, before all balances are read
}

// designPoint is a mention of a case by a target of the design.
type designPoint struct {
	name document.Word
	path string
}

// yield is a mention of a parameter that gives way to a limit.
type yield struct {
	param document.Word
	path  string
}

// stop is a component in a flow chain, with the explicit port, if any.
type stop struct {
	component, port string
	text            string
	pos             document.Pos
	bad             bool // reported, or at a component that was
	stream          int  // of the port that was written for the other side
}

// Names: the known names, and the form of a name.

const caseRule = "a name of a case is letters, digits and any of _ . + -, first a letter or digit"

// declare enters a component's or shaft's name. Both share one space of names, since paths do not distinguish them.
func (r *reader) declare(f document.Field, what, path string, entry *Type, values Values) bool {
	if !nameShape().MatchString(f.Key) {
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

// name is the meaning of a name in the file.
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
	nameShape = regex.Lazy(`^[A-Za-z][A-Za-z0-9_]*$`)
	caseShape = regex.Lazy(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)
)
