package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
)

// ruleActions are the words of a rule's action.
var ruleActions = []string{"stop", "unusable", "pause", "resume", "checkpoint", "urgent"}

// RunsJudge has a rule judged in the solver's process, between two iterations.
const RunsJudge = "run"

// ruleWheres are where a rule may be judged.
var ruleWheres = []string{"host", RunsJudge}

// rules reads the `rules` section. A condition's grammar is checked here; what
// its names mean is known where rules are judged.
func (r *reader) rules(n ast.Node, path string) {
	seen := make(map[string]document.Pos)
	for i, it := range r.Items(n, path, "rules such as {name: surge, when: hpc.SMN < 12, message: low surge margin}") {
		at := document.Item(path, i)
		rule := Rule{Pos: document.Position(it)}
		r.Group(it, at, "a rule such as {name: surge, when: hpc.SMN < 12, message: low surge margin}", []document.Key{
			document.Required("name", r.Text(&rule.Name, "a name")),
			document.Optional("when", r.conditions(&rule)),
			document.Optional("hold", r.count(&rule.Hold)),
			document.Optional("priority", r.Whole(&rule.Priority)),
			document.Optional("repeat", r.count(&rule.Repeat)),
			document.Optional("pause", r.count(&rule.Pause)),
			document.Optional("most", r.from1(&rule.Most, "a number of actions")),
			document.Optional("severity", r.Choice(&rule.Severity, "info", "warning", "error")),
			document.Optional("message", r.message(&rule)),
			document.Optional("action", r.action(&rule)),
			document.Optional("act", r.Flag(&rule.Act)),
			document.Optional("where", r.Choice(&rule.Where, ruleWheres...)),
			document.Optional("each", r.each(&rule)),
			document.Optional("assert", r.assertions(&rule)),
		})
		if first, twice := seen[rule.Name]; twice && rule.Name != "" {
			r.Fail(rule.Pos, at+".name", rule.Name, "the name is taken by the rule at line %d", first.Line)
		}
		seen[rule.Name] = rule.Pos
		r.switched(&rule, at)
		if rule.Message == "" && (len(rule.Assert) == 0 || rule.Action != "") {
			rule.Message = strings.Join(rule.Conditions(), " or ")
		}
		r.engine.Rules = append(r.engine.Rules, rule)
	}
}

// switched checks what a rule may lack: one that has no condition switches a built-in rule on, whose severity it has,
// too.
func (r *reader) switched(rule *Rule, at string) {
	onStudy := len(rule.Each)+len(rule.Assert) > 0
	switch {
	case onStudy && rule.When == "" && len(rule.Places.When) == 0:
		r.Fail(rule.Pos, at, "", "missing, want when: a condition")
	case onStudy && rule.Where == RunsJudge:
		r.Fail(rule.Pos, at+".where", rule.Where, "it judges all runs of a study, which no single run sees")
	case rule.Severity == "" && len(rule.Places.When) > 0:
		rule.Severity = "warning"
	}
}

// count returns a reader of a number of iterations, from 1.
func (r *reader) count(dst *int) func(ast.Node, string) {
	return r.from1(dst, "a number of iterations")
}

// from1 returns a reader of a whole number, from 1.
func (r *reader) from1(dst *int, what string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		before := len(r.Problems)
		r.Whole(dst)(n, path)
		if len(r.Problems) == before && *dst < 1 {
			r.Fail(document.Position(n), path, n.GetToken().Value, "want %s, from 1", what)
		}
	}
}

// conditions reads one condition, or a list of them.
func (r *reader) conditions(rule *Rule) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		items, at := []ast.Node{n}, []string{path}
		if _, many := n.(*ast.SequenceNode); many {
			items = r.Items(n, path, "conditions such as hpc.SMN < 12")
			at = nil
			for i := range items {
				at = append(at, document.Item(path, i))
			}
			if len(items) == 0 {
				r.Fail(document.Position(n), path, "", "an empty list, want conditions such as hpc.SMN < 12")
			}
		}
		for i, it := range items {
			var text string
			r.condition(&text)(it, at[i])
			rule.Places.When = append(rule.Places.When, document.Position(it))
			if i == 0 {
				rule.When = text
			} else {
				rule.Or = append(rule.Or, text)
			}
		}
	}
}

func (r *reader) message(rule *Rule) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		rule.Places.Message = document.Position(n)
		r.Text(&rule.Message, "a text")(n, path)
	}
}

// each reads the names of the facts that a rule joins.
func (r *reader) each(rule *Rule) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "names for facts such as {a: run, b: run}") {
			e := Each{Name: f.Key, Pos: f.Pos}
			r.Text(&e.Kind, "a kind of facts: run, or one that rules assert")(f.Value, document.Join(path, f.Key))
			r.word(f.Pos, document.Join(path, f.Key), f.Key)
			rule.Each = append(rule.Each, e)
		}
	}
}

// assertions reads the facts that a rule asserts.
func (r *reader) assertions(rule *Rule) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		for _, kind := range r.Fields(n, path, "facts such as {doubt: {run: a.name}}") {
			at := document.Join(path, kind.Key)
			r.word(kind.Pos, at, kind.Key)
			a := Assertion{Kind: kind.Key, Pos: kind.Pos}
			for _, f := range r.Fields(kind.Value, at, "fields such as {run: a.name}") {
				field := AssertedField{Name: f.Key, Pos: f.Pos}
				r.word(f.Pos, document.Join(at, f.Key), f.Key)
				r.condition(&field.Value)(f.Value, document.Join(at, f.Key))
				a.Fields = append(a.Fields, field)
			}
			rule.Assert = append(rule.Assert, a)
		}
	}
}

// wordShape is a name in conditions.
var wordShape = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// word reports a name that conditions cannot have.
func (r *reader) word(at document.Pos, path, name string) {
	if !wordShape.MatchString(name) {
		r.Fail(at, path, name, "want a name of letters, digits and _")
	}
}

// functionShape is the head of a user's function, such as fell(x, n).
var functionShape = regexp.MustCompile(
	`^([A-Za-z_][A-Za-z0-9_]*)\(\s*([A-Za-z_][A-Za-z0-9_]*(?:\s*,\s*[A-Za-z_][A-Za-z0-9_]*)*)?\s*\)$`)

// functions reads the `functions` section: a head such as fell(x, n) and a body in the language of conditions. That
// they do not refer to themselves is checked where rules are judged.
func (r *reader) functions(n ast.Node, path string) {
	seen := map[string]document.Pos{}
	for _, f := range r.Fields(n, path, "functions such as fell(x, n): drop(x) > n") {
		at := document.Join(path, f.Key)
		head := functionShape.FindStringSubmatch(f.Key)
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
		r.condition(&fn.Body)(f.Value, at)
		r.engine.Functions = append(r.engine.Functions, fn)
	}
}

func (r *reader) condition(dst *string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "a condition such as hpc.SMN < 12")
		if !ok {
			return
		}
		*dst = w.Text
		r.parses(w, path, "a condition")
	}
}

// parses reports a text that is no expression.
func (r *reader) parses(w document.Word, path, what string) {
	plain, _ := expression.Units(w.Text)
	_, err := parser.Parse(plain)
	var fe *file.Error
	switch {
	case err == nil:
	case errors.As(err, &fe):
		// The column is in runes of a text that may span lines.
		at := w.Pos
		if !w.Lines {
			at = w.At(len(string([]rune(w.Text)[:min(fe.Column, len([]rune(w.Text)))])))
		}
		r.Fail(at, path, w.Text, "not %s: %s", what, fe.Message)
	default:
		r.Fail(w.Pos, path, w.Text, "not %s: %v", what, err)
	}
}
