package language

// Expressions with a fixed set of possible texts, such as the class of a run: a misspelt text would never be equal.

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Classes are the classes of ended runs.
var Classes = append([]string{string(event.Converged), "not_run"}, config.FailureClasses...)

// States are the states of runs.
var States = state.Names()

// CheckTexts returns an error if ==, != or in compares a path with a text that it never has. The function known returns
// the possible texts of a path; nil: any.
func CheckTexts(tree ast.Node, known func(path []string) []string) (err error) {
	check := func(of, to ast.Node) {
		var texts, path []string
		switch of := of.(type) {
		case *ast.IdentifierNode:
			path = []string{of.Value}
		case *ast.MemberNode:
			path = expression.Path(of)
		}
		if len(path) > 0 {
			texts = known(path)
		}
		list := []ast.Node{to}
		if a, ok := to.(*ast.ArrayNode); ok {
			list = a.Nodes
		}
		for _, x := range list {
			s, ok := x.(*ast.StringNode)
			if ok && len(texts) > 0 && s.Value != "" && !slices.Contains(texts, s.Value) && err == nil {
				err = fmt.Errorf("%s is never %q%s", of, s.Value, spell.Hint(s.Value, texts))
			}
		}
	}
	expression.Walk(tree, func(n ast.Node) {
		if b, ok := n.(*ast.BinaryNode); ok && slices.Contains([]string{"==", "!=", "in"}, b.Operator) {
			check(b.Left, b.Right)
			check(b.Right, b.Left)
		}
	})
	return err
}
