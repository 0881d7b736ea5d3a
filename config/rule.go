package config

import (
	"errors"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/goccy/go-yaml/ast"
	"github.com/peregrine-sim/peregrine/config/document"
)

// rules reads the `rules` section. A condition's grammar is checked here; what
// its names mean is known where rules are judged.
func (r *reader) rules(n ast.Node, path string) {
	seen := make(map[string]document.Pos)
	for i, it := range r.Items(n, path, "rules such as {name: surge, when: hpc.SMN < 12, message: low surge margin}") {
		at := document.Item(path, i)
		rule := Rule{Severity: "warning", Pos: document.Position(it)}
		r.Group(it, at, "a rule such as {name: surge, when: hpc.SMN < 12, message: low surge margin}", []document.Key{
			document.Required("name", r.Text(&rule.Name, "a name")),
			document.Required("when", r.condition(&rule.When)),
			document.Optional("severity", r.Choice(&rule.Severity, "warning", "error")),
			document.Optional("message", r.Text(&rule.Message, "a text")),
			document.Optional("action", r.Choice(&rule.Action, "stop")),
		})
		if first, twice := seen[rule.Name]; twice && rule.Name != "" {
			r.Fail(rule.Pos, at+".name", rule.Name, "the name is taken by the rule at line %d", first.Line)
		}
		seen[rule.Name] = rule.Pos
		if rule.Message == "" {
			rule.Message = rule.When
		}
		r.engine.Rules = append(r.engine.Rules, rule)
	}
}

func (r *reader) condition(dst *string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "a condition such as hpc.SMN < 12")
		if !ok {
			return
		}
		*dst = w.Text
		_, err := parser.Parse(w.Text)
		var fe *file.Error
		switch {
		case err == nil:
		case errors.As(err, &fe):
			// The column is in runes of a text that may span lines.
			at := w.Pos
			if !w.Lines {
				at = w.At(len(string([]rune(w.Text)[:min(fe.Column, len([]rune(w.Text)))])))
			}
			r.Fail(at, path, w.Text, "not a condition: %s", fe.Message)
		default:
			r.Fail(w.Pos, path, w.Text, "not a condition: %v", err)
		}
	}
}
