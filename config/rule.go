package config

import (
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/parser"
	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// ruleActions are the words of a rule's action.
var ruleActions = []string{"stop", "unusable", "pause", "resume", "checkpoint", "urgent"}

// ruleWheres are where a rule may be judged.
var ruleWheres = []string{"host", RunsJudge}

// rules is the `rules` section. The grammar of a condition is checked here; the meaning of its names is known where
// rules are judged.
func (r *reader) rules() document.Value {
	const one = "such as {name: surge, when: hpc.SMN < 12, message: low surge margin}"
	schema := func() *jsonschema.Schema {
		return document.ListOf(document.Object("A warning of the user's own.", r.ruleKeys(new(Rule))))
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		seen := make(map[string]document.Pos)
		for i, it := range r.Items(n, path, "rules "+one) {
			at, before := document.Item(path, i), len(r.Problems)
			rule := Rule{Pos: document.Position(it)}
			r.Group(it, at, "a rule "+one, r.ruleKeys(&rule))
			if first, twice := seen[rule.Name]; twice && rule.Name != "" {
				r.Fail(rule.Pos, at+".name", rule.Name, "the name is taken by the rule at line %d", first.Line)
			}
			seen[rule.Name] = rule.Pos
			r.switched(&rule, at)
			if rule.Message == "" && (len(rule.Assert) == 0 || rule.Action != "") {
				rule.Message = strings.Join(rule.Conditions(), " or ")
			}
			if len(r.Problems) > before { // others may refer to it
				rule = Rule{Name: rule.Name, Pos: rule.Pos, When: "false", Severity: "info", Assert: rule.Assert}
			}
			r.engine.Rules = append(r.engine.Rules, rule)
		}
	}}
}

func (r *reader) ruleKeys(rule *Rule) []document.Key {
	placed := func(at *document.Pos, v document.Value) document.Value {
		return v.Then(func(n ast.Node, _ string) { *at = document.Position(n) })
	}
	iterations := func(dst *int) document.Value { return r.Whole(dst, 1, "a number of iterations") }
	keys := []document.Key{
		r.Required("name", "Name.", r.Text(&rule.Name, "a name")),
		r.Optional("when", "Condition, such as hpc.SMN < 12, or a list of them, of which one is enough; without it, "+
			"the built-in rule of this name that is off is switched on.",
			r.conditions(rule)),
		r.Optional("hold", "Iterations in a row in which the condition is to hold.", iterations(&rule.Hold).Implied(1)),
		r.Optional("for", "Wall-clock time, such as 5 min, for which the condition is to hold.",
			r.Duration(&rule.For, 0, 1e9)),
		r.Optional("priority",
			"Rules of higher priority are judged first, then the first in the file; built-in ones come before the "+
				"user's.",
			r.Whole(&rule.Priority, math.MinInt32, "").Implied(0)),
		r.Optional("repeat",
			"Iterations after which it fires again while it holds; without it, it fires again only after it has not "+
				"held.",
			iterations(&rule.Repeat)),
		r.Optional("pause", "Iterations after firing in which it is not judged; 20 of a rule that sets something, "+
			"acts, and has neither this nor repeat.",
			iterations(&rule.Pause)),
		r.Optional("most", "Actions at most in a run and those that follow it for the same point; stop and unusable "+
			"are not counted.",
			r.Whole(&rule.Most, 1, "a number of actions").Implied(10)),
		r.Optional("severity", "How bad it is; an info is no warning.",
			r.Choice(&rule.Severity, "info", "warning", "error").Implied("warning")),
		r.Optional("message", "What to tell; default the condition.",
			placed(&rule.Places.Message, r.Text(&rule.Message, "a text"))),
		r.Optional("notify", "Channels of the settings that get its findings, whatever their severity.",
			r.Texts(&rule.Notify, "names such as [phone]", "a name", document.Rule{})),
		r.Optional("action",
			"What to do with the run: stop, unusable (its answer is rejected), pause, resume, checkpoint, or an "+
				"action with a value such as {set: {CFL: 5}}.",
			placed(&rule.Places.Action, r.action(rule))),
		r.Optional("act", "The action is taken; without it, and without --act, it is only recorded as an event would.",
			r.Flag(&rule.Act).Implied(false)),
		r.Optional("where", "Where a rule on a run is judged: by the host, at each report of the solver, or by the "+
			"run itself, in the solver's process, at each iteration.",
			r.Choice(&rule.Where, ruleWheres...).Implied("host")),
		r.Optional("each", "Facts that the conditions join, by their names in the conditions.", r.each(rule)),
		r.Optional("assert", "Facts that hold as long as the conditions do, by kind.", r.assertions(rule)),
	}
	if r.own {
		keys = append(keys, r.Optional("set", "New values.", r.newValues(rule)),
			r.Optional("off", "It is off until a file names it.", r.Flag(&rule.Off)),
			r.Optional("source", "Source of its thresholds.", r.Text(&rule.Why, "a source")))
	}
	return keys
}

// switched checks the required keys of a rule. A rule without a condition switches a built-in rule on, and takes its
// severity.
func (r *reader) switched(rule *Rule, at string) {
	onStudy := len(rule.Each)+len(rule.Assert) > 0
	switch {
	case onStudy && rule.When == "" && len(rule.Places.When) == 0:
		r.Fail(rule.Pos, at, "", "missing, want when: a condition")
	case onStudy && rule.Where == RunsJudge:
		r.Fail(rule.Pos, at+".where", rule.Where, "it judges all runs of a study, and a run knows only itself")
	case rule.Severity == "" && len(rule.Places.When) > 0:
		rule.Severity = "warning"
	}
}

// conditions is one condition, or a list of conditions.
func (r *reader) conditions(rule *Rule) document.Value {
	v := document.Value{Schema: func() *jsonschema.Schema { return document.TextSchema("Condition.") }}
	v.Read = func(n ast.Node, path string) {
		var text string
		r.condition(&text).Read(n, path)
		if rule.Places.When = append(rule.Places.When, document.Position(n)); len(rule.Places.When) == 1 {
			rule.When = text
		} else {
			rule.Or = append(rule.Or, text)
		}
	}
	return r.OneOrMore("conditions such as hpc.SMN < 12", "Conditions, of which one is enough.", v)
}

// each is the names of the facts that a rule joins.
func (r *reader) each(rule *Rule) document.Value {
	const want = "names for facts such as {a: run, b: run}"
	return r.byWord(want, func(f *document.Field) document.Value {
		e := Each{Name: f.Key, Pos: f.Pos}
		v := r.Text(&e.Kind, "a kind of facts: run, or a kind that rules assert").
			Says("Kind of facts: run, or a kind that rules assert.")
		return v.Then(func(ast.Node, string) { rule.Each = append(rule.Each, e) })
	})
}

// assertions are the facts that a rule asserts.
func (r *reader) assertions(rule *Rule) document.Value {
	return r.byWord("facts such as {doubt: {run: a.name}}", func(kind *document.Field) document.Value {
		a := Assertion{Kind: kind.Key, Pos: kind.Pos}
		fields := r.byWord("fields such as {run: a.name}", func(f *document.Field) document.Value {
			field := AssertedField{Name: f.Key, Pos: f.Pos}
			v := r.condition(&field.Value).Says("Expression.")
			return v.Then(func(ast.Node, string) { a.Fields = append(a.Fields, field) })
		})
		return fields.Says("Fields by name.").Then(func(ast.Node, string) { rule.Assert = append(rule.Assert, a) })
	})
}

// byWord is a group whose keys are names in conditions. The function item declares each entry.
func (r *reader) byWord(want string, item func(f *document.Field) document.Value) document.Value {
	schema := func() *jsonschema.Schema {
		return document.NamedSchema(wordShape(), item(new(document.Field)).Schema())
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, want) {
			r.word(f.Pos, document.Join(path, f.Key), f.Key)
			item(&f).Read(f.Value, document.Join(path, f.Key))
		}
	}}
}

// wordShape is a name in conditions.
var wordShape = regex.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

// word reports a name that conditions cannot have.
func (r *reader) word(at document.Pos, path, name string) {
	if !wordShape().MatchString(name) {
		r.Fail(at, path, name, "want a name of letters, digits and _")
	}
}

// functionShape is the head of a user's function, such as fell(x, n).
var functionShape = regex.Lazy(
	`^([A-Za-z_][A-Za-z0-9_]*)\(\s*([A-Za-z_][A-Za-z0-9_]*(?:\s*,\s*[A-Za-z_][A-Za-z0-9_]*)*)?\s*\)$`)

// functions is the `functions` section: a head such as fell(x, n) and a body in the language of conditions. That they
// do not refer to themselves is checked where rules are judged.
func (r *reader) functions() document.Value {
	schema := func() *jsonschema.Schema {
		return document.NamedSchema(functionShape(), document.TextSchema("What it is, in the language of conditions."))
	}
	return document.Value{Schema: schema, Read: r.readFunctions}
}

func (r *reader) readFunctions(n ast.Node, path string) {
	seen := map[string]document.Pos{}
	for _, f := range r.Fields(n, path, "functions such as fell(x, n): drop(x) > n") {
		at := document.Join(path, f.Key)
		head := functionShape().FindStringSubmatch(f.Key)
		if head == nil {
			r.Fail(f.Pos, at, f.Key, "want the name of a function and its arguments, such as fell(x, n)")
			continue
		}
		fn := Function{Name: head[1], Pos: f.Pos, BodyPos: document.Position(f.Value)}
		for _, a := range strings.Split(head[2], ",") {
			if a = strings.TrimSpace(a); a != "" {
				fn.Arguments = append(fn.Arguments, a)
			}
		}
		if twice := slices.Sorted(slices.Values(fn.Arguments)); len(slices.Compact(twice)) < len(fn.Arguments) {
			r.Fail(f.Pos, at, f.Key, "two arguments have the same name")
		}
		if first, twice := seen[fn.Name]; twice {
			r.Fail(f.Pos, at, fn.Name, "the name is taken by the function at line %d", first.Line)
		}
		seen[fn.Name] = f.Pos
		r.condition(&fn.Body).Read(f.Value, at)
		r.engine.Functions = append(r.engine.Functions, fn)
	}
}

// condition is a condition, or another expression in its language.
func (r *reader) condition(dst *string) document.Value {
	return r.Scalar("a condition such as hpc.SMN < 12", func(w document.Word, path string) {
		*dst = w.Text
		r.parses(w, path, "a condition")
	})
}

// parses reports a text that is no expression.
func (r *reader) parses(w document.Word, path, what string) {
	_, err := parser.Parse(expression.Plain(w.Text))
	expression.Report(&r.Reader, w, path, what, expression.Located(err))
}

// Actions of rules: a word, or a group with a value.

// action is one of the words, or an action with its values.
func (r *reader) action(rule *Rule) document.Value {
	words := ruleActions
	if r.own {
		words = append(slices.Clone(words), "set")
	}
	word := r.Choice(&rule.Action, words...).Says("What to do with the run: end it, reject its answer, hold it, let " +
		"it go on, let it write a checkpoint; or have the most urgent runs of the study start first.")
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
	case len(r.Problems) > before: // of an unknown key
	case len(verbs) == 0:
		r.Fail(document.Position(n), path, "", "an empty action, want %s", want)
	default:
		r.Fail(document.Position(n), path, "", "%d actions, %s: want one; only rewind and set may be combined",
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

// call is a function and its optional argument.
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
	// a text with a unit is not a number
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
