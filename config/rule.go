package config

import (
	"errors"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/goccy/go-yaml/ast"
)

// rules reads the `rules` section. A condition's grammar is checked here; what
// its names mean is known where rules are judged.
func (r *reader) rules(n ast.Node, path string) {
	seen := make(map[string]Pos)
	for i, it := range r.items(n, path, "rules such as {name: surge, when: hpc.SMN < 12, message: low surge margin}") {
		at := item(path, i)
		rule := Rule{Severity: "warning", Pos: position(it)}
		r.group(it, at, "a rule such as {name: surge, when: hpc.SMN < 12, message: low surge margin}", []key{
			{"name", true, r.text(&rule.Name, "a name")},
			{"when", true, r.condition(&rule.When)},
			{"severity", false, r.choice(&rule.Severity, "warning", "error")},
			{"message", false, r.text(&rule.Message, "a text")},
			{"action", false, r.choice(&rule.Action, "stop")},
		})
		if first, twice := seen[rule.Name]; twice && rule.Name != "" {
			r.fail(rule.Pos, at+".name", rule.Name, "the name is taken by the rule at line %d", first.Line)
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
		w, ok := r.word(n, path, "a condition such as hpc.SMN < 12")
		if !ok {
			return
		}
		*dst = w.text
		_, err := parser.Parse(w.text)
		var fe *file.Error
		switch {
		case err == nil:
		case errors.As(err, &fe):
			// The column is in runes of a text that may span lines.
			at := w.pos
			if !w.lines {
				at = w.at(len(string([]rune(w.text)[:min(fe.Column, len([]rune(w.text)))])))
			}
			r.fail(at, path, w.text, "not a condition: %s", fe.Message)
		default:
			r.fail(w.pos, path, w.text, "not a condition: %v", err)
		}
	}
}
