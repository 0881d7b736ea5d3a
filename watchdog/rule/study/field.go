package study

// The kinds of facts and their fields.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// fields of a run that have a meaning of their own. The comments are the list of the help page on rules.
var fields = map[string]fact.Type{
	"name":      fact.Text, // its name
	"component": fact.Text, // component of the engine whose behaviour it computes
	"type":      fact.Text, // type of that component
	"solver":    fact.Text, // name and version of the solver
	"state":     fact.Text, // `converging`, `stalled`, `diverged` and so on, as `peregrine watch` calls it
	"class":     fact.Text, // how it ended, as `peregrine runs list` shows it; empty while it is running
	// speed line of the map on which it lies: equal for runs of one component that differ in the throttle alone; empty
	// if it lies on none
	"curve":     fact.Text,
	"place":     fact.Number, // place on that line: its throttle
	"attempt":   fact.Number, // number of the attempt at its point, from 1
	"iteration": fact.Number, // last iteration that it reported
	"wall":      fact.Number, // wall-clock time of an ended run, s
	"ended":     fact.Bool,   // whether it has ended
	"answered":  fact.Bool,   // whether it ended with an answer
	"lost":      fact.Bool,   // whether it ended without an answer and without another attempt
}

// texts are the possible texts of fields of a run; other fields have any text.
var texts = map[string][]string{"state": language.States, "class": language.Classes}

// Parts of a run's fields that hold numbers under the names of the solver.
const (
	givenPart  = "given"
	answerPart = "answer"
)

// column is a field of facts that some condition names.
type column struct {
	part string // given or answer; empty: none
	name string
	typ  fact.Type
}

func (c column) String() string {
	if c.part != "" {
		return c.part + "." + c.name
	}
	return c.name
}

// kind is a kind of facts as conditions see it.
type kind struct {
	name    string
	columns []column
	place   map[string]int // of columns
	open    bool           // numbers of any name are fields: it is run
}

func newKind(name string) *kind { return &kind{name: name, place: map[string]int{}} }

// newRuns returns the kind of runs, without the fields that conditions will name: a run is judged only when a field in
// a condition changes.
func newRuns() *kind {
	k := newKind(config.Kind)
	k.open = true
	k.add(column{name: "name", typ: fact.Text})
	return k
}

func (k *kind) add(c column) int {
	i, ok := k.place[c.String()]
	if !ok {
		i = len(k.columns)
		k.place[c.String()] = i
		k.columns = append(k.columns, c)
	}
	return i
}

// has reports whether some condition names a field, or a rule asserts it.
func (k *kind) has(field string) bool {
	_, ok := k.place[field]
	return ok
}

// field returns the column of a path such as PR or given.N. Numbers of runs are added where they are named.
func (k *kind) field(path []string) (int, error) {
	name := strings.Join(path, ".")
	if i, ok := k.place[name]; ok {
		return i, nil
	}
	if !k.open {
		return 0, fmt.Errorf("the kind %s has no field %s%s", k.name, name,
			spell.Hint(name, slices.Sorted(maps.Keys(k.place))))
	}
	switch {
	case fields[name] != 0:
		return k.add(column{name: name, typ: fields[name]}), nil
	case len(path) == 2 && (path[0] == givenPart || path[0] == answerPart):
		return k.add(column{path[0], path[1], fact.Number}), nil
	case len(path) > 1:
		return 0, fmt.Errorf("a run has no %s; its parts are %s and %s", name, answerPart, givenPart)
	case name == givenPart || name == answerPart:
		return 0, fmt.Errorf("%s has parts: %s.N, for one", name, name)
	}
	for _, known := range slices.Sorted(maps.Keys(fields)) {
		if len(name) > 3 && len(known) > 3 && spell.Distance(name, known) == 1 {
			return 0, fmt.Errorf("a run has no %s, did you mean %s?", name, known)
		}
	}
	return k.add(column{name: name, typ: fact.Number}), nil
}

// types returns the types of the fields, for the check of expressions.
func (k *kind) types() types.Map {
	all := types.Map{}
	parts := map[string]types.Map{}
	for _, c := range k.columns {
		t := typeOf[c.typ]
		if c.part == "" {
			all[c.name] = t
			continue
		}
		if parts[c.part] == nil {
			parts[c.part] = types.Map{}
			all[c.part] = parts[c.part]
		}
		parts[c.part][c.name] = t
	}
	return all
}

var typeOf = map[fact.Type]types.Type{0: types.Any, fact.Number: types.Float64, fact.Text: types.String,
	fact.Bool: types.Bool}

// facts is the kind for the memory.
func (k *kind) facts() fact.Kind {
	f := fact.Kind{Name: k.name}
	for _, c := range k.columns {
		f.Fields = append(f.Fields, fact.Field{Name: c.String(), Type: c.typ})
	}
	return f
}

// kinds are all kinds by name.
type kinds map[string]*kind

// of returns the kind that a word names, in the singular or the plural; nil if unknown.
func (k kinds) of(word string) *kind { return k[config.KindOf(word, slices.Collect(maps.Keys(k)))] }
