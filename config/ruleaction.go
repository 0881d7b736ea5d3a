package config

// What a rule's action may be: a word, or a group with the value that it takes.

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// action is one of the words, or what is to be done with which values.
func (r *reader) action(rule *Rule) document.Value {
	word := r.Choice(&rule.Action,
		ruleActions...).Says("What to do with the run: end it, reject its answer, hold it, let it go on, let it " +
		"write a checkpoint; or have the most urgent runs of the study start first.")
	schema := func() *jsonschema.Schema {
		with := document.Object("An action with a value; one of them, or rewind and set.", r.actionKeys(rule))
		return document.Either(word.Schema(), with)
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		switch n.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			r.actionWithValue(rule, n, path)
		default:
			word.Read(n, path)
		}
	}}
}

func (r *reader) actionKeys(rule *Rule) []document.Key {
	return []document.Key{
		r.Optional("set", "The new values by name: numbers, or expressions such as cfl / 2.", r.newValues(rule)),
		r.Optional("checkpoint", "Let it write a checkpoint of this name.",
			r.Text(&rule.Target, "a name of the checkpoint")),
		r.Optional("rewind", "Make it again from the checkpoint of this name.",
			r.Text(&rule.Target, "the name of a checkpoint")),
		r.Optional("call", "Call a function of the solver: its name, or its name and argument, as in {write_flow: "+
			"flow.vtu}.", r.call(rule)),
		r.Optional("first", "Have the runs of the study start first whose names match, such as fan-n100*.",
			r.Text(&rule.Target, "names of runs such as fan-n100*")),
		r.Optional("workers", "How many runs the study makes at a time.",
			r.Whole(&rule.Workers, 1, "a number of runs")),
	}
}

func (r *reader) actionWithValue(rule *Rule, n ast.Node, path string) {
	const want = "an action such as {set: {CFL: 5}}"
	var verbs []string
	before := len(r.Problems)
	keys := r.actionKeys(rule)
	g := r.Group(n, path, want, keys)
	for _, k := range keys {
		if g.Has(k.Name) {
			verbs = append(verbs, k.Name)
		}
	}
	switch slices.Sort(verbs); {
	case len(verbs) == 1:
		rule.Action = verbs[0]
	case slices.Equal(verbs, []string{"rewind", "set"}):
		rule.Action = "rewind"
	case len(r.Problems) > before: // of a key that there is not
	case len(verbs) == 0:
		r.Fail(document.Position(n), path, "", "an empty action, want %s", want)
	default:
		r.Fail(document.Position(n), path, "", "%d actions, %s: want one; rewind and set alone may stand together",
			len(verbs), spell.List(verbs, "and"))
	}
}

// newValues are the values that objects of the run are to get.
func (r *reader) newValues(rule *Rule) document.Value {
	schema := func() *jsonschema.Schema {
		return document.NamedSchema(nil, &jsonschema.Schema{Types: []string{"number", "string"}})
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		rule.Set = map[string]float64{}
		for _, f := range r.Fields(n, path, "settings of the solver such as {CFL: 5}") {
			r.setTo(rule, f.Key, f.Value, document.Join(path, f.Key))
		}
	}}
}

// call is a function and its argument, if it has one.
func (r *reader) call(rule *Rule) document.Value {
	schema := func() *jsonschema.Schema { return &jsonschema.Schema{Types: []string{"string", "object"}} }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		switch n.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
		default:
			r.Text(&rule.Target, "the name of a function").Read(n, path)
			return
		}
		list := r.Fields(n, path, "a function and its argument such as {write_flow: 'flow.vtu'}")
		if len(list) != 1 {
			r.Fail(document.Position(n), path, "", "%d functions, want one", len(list))
			return
		}
		rule.Target = list[0].Key
		argument := r.Text(&rule.Argument, "an argument: a number, true, false or a text")
		argument.Read(list[0].Value, document.Join(path, rule.Target))
	}}
}

// setTo reads the new value of a setting: a number, or an expression.
func (r *reader) setTo(rule *Rule, name string, n ast.Node, path string) {
	w, ok := r.Word(n, path, "a number such as 3.5, or an expression such as cfl / 2")
	if !ok {
		return
	}
	_, with := expression.Units(w.Text)
	// one with a unit is none
	if x, err := unit.Parse(w.Text, unit.None); err == nil || len(with) == 1 && with[0].Text == w.Text {
		r.Number(&x).Read(n, path)
		rule.Set[name] = x
		return
	}
	if rule.SetTo == nil {
		rule.SetTo = map[string]string{}
	}
	r.parses(w, path, "a number such as 3.5, or an expression such as cfl / 2")
	rule.SetTo[name] = w.Text
}
