package config

import "github.com/expr-lang/expr/ast"

// DottedPath returns a.b.c in an expression as its words; nil for a member that is
// optional (a?.b) or computed.
func DottedPath(n *ast.MemberNode) []string {
	word, ok := n.Property.(*ast.StringNode)
	if !ok || n.Optional {
		return nil
	}
	switch of := n.Node.(type) {
	case *ast.IdentifierNode:
		return []string{of.Value, word.Value}
	case *ast.MemberNode:
		if p := DottedPath(of); p != nil {
			return append(p, word.Value)
		}
	}
	return nil
}
