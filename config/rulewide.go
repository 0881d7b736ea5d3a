package config

// Which rules judge all runs of a study together: those with each or assert, and those that count facts.

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/peregrine-sim/peregrine/config/expression"
)

// Kind is the kind of the facts that are runs.
const Kind = "run"

// Folds are the functions of conditions that look at all facts of a kind.
var Folds = []string{"count", "any", "all", "none"}

// SplitRules separates the rules that judge all runs of a study together, the wide ones, from those that judge one run,
// component or case.
func SplitRules(rules []Rule) (wide, narrow []Rule) {
	kinds := []string{Kind}
	for i := range rules {
		for _, a := range rules[i].Assert {
			kinds = append(kinds, a.Kind)
		}
	}
	for i := range rules {
		r := rules[i]
		counts := func(when string) bool { return foldsOver(when, kinds) }
		if len(r.Each)+len(r.Assert) > 0 || slices.ContainsFunc(r.Conditions(), counts) {
			wide = append(wide, r)
		} else {
			narrow = append(narrow, r)
		}
	}
	return wide, narrow
}

// KindOf is the kind that a word in conditions names, as one fact or as all of them: run and runs. It is empty for
// others.
func KindOf(word string, kinds []string) string {
	for _, k := range kinds {
		if word == k || word == k+"s" {
			return k
		}
	}
	return ""
}

// foldsOver reports whether a condition looks at all facts of one of the kinds.
func foldsOver(when string, kinds []string) bool {
	if !strings.Contains(when, "(") {
		return false
	}
	tree, err := parser.Parse(expression.Plain(when))
	if err != nil {
		return false
	}
	f := folds{kinds: kinds}
	ast.Walk(&tree.Node, &f)
	return f.found
}

type folds struct {
	kinds []string
	found bool
}

// Visit implements ast.Visitor.
func (f *folds) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.BuiltinNode)
	if !ok || !slices.Contains(Folds, n.Name) || len(n.Arguments) == 0 {
		return
	}
	if id, ok := n.Arguments[0].(*ast.IdentifierNode); ok && KindOf(id.Value, f.kinds) != "" {
		f.found = true
	}
}
