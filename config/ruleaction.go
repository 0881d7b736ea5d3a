package config

// What a rule's action may be: a word, or a group with the value that it takes.

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// action reads one of the words, or what is to be done with which values.
func (r *reader) action(rule *Rule) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		rule.Places.Action = document.Position(n)
		switch n.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
		default:
			r.Choice(&rule.Action, ruleActions...)(n, path)
			return
		}
		const want = "an action such as {set: {CFL: 5}}"
		var verbs []string
		before := len(r.Problems)
		verb := func(name string, read func(ast.Node, string)) document.Key {
			return document.Optional(name, func(n ast.Node, path string) {
				verbs = append(verbs, name)
				read(n, path)
			})
		}
		r.Group(n, path, want, []document.Key{
			verb("set", r.newValues(rule)),
			verb("checkpoint", r.Text(&rule.Target, "a name of the checkpoint")),
			verb("rewind", r.Text(&rule.Target, "the name of a checkpoint")),
			verb("call", r.call(rule)),
			verb("first", r.Text(&rule.Target, "names of runs such as fan-n100*")),
			verb("workers", r.from1(&rule.Workers, "a number of runs")),
		})
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
}

// newValues reads the values that objects of the run are to get.
func (r *reader) newValues(rule *Rule) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		rule.Set = map[string]float64{}
		for _, f := range r.Fields(n, path, "settings of the solver such as {CFL: 5}") {
			r.setTo(rule, f.Key)(f.Value, document.Join(path, f.Key))
		}
	}
}

// call reads a function and its argument, if it has one.
func (r *reader) call(rule *Rule) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		switch n.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
		default:
			r.Text(&rule.Target, "the name of a function")(n, path)
			return
		}
		list := r.Fields(n, path, "a function and its argument such as {write_flow: 'flow.vtu'}")
		if len(list) != 1 {
			r.Fail(document.Position(n), path, "", "%d functions, want one", len(list))
			return
		}
		rule.Target = list[0].Key
		r.Text(&rule.Argument, "an argument: a number, true, false or a text")(list[0].Value,
			document.Join(path, rule.Target))
	}
}

// setTo reads the new value of a setting: a number, or an expression.
func (r *reader) setTo(rule *Rule, name string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "a number such as 3.5, or an expression such as cfl / 2")
		if !ok {
			return
		}
		_, with := expression.Units(w.Text)
		// one with a unit is none
		if x, err := unit.Parse(w.Text, unit.None); err == nil || len(with) == 1 && with[0].Text == w.Text {
			r.Number(&x)(n, path)
			rule.Set[name] = x
			return
		}
		if rule.SetTo == nil {
			rule.SetTo = map[string]string{}
		}
		r.parses(w, path, "a number such as 3.5, or an expression such as cfl / 2")
		rule.SetTo[name] = w.Text
	}
}
