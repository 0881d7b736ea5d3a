package study

// Conditions as data: the memory looks up a comparison of one field or of two, so such parts of a condition are given
// to it as data. The rest becomes a Go function.

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

var comparisons = map[string]fact.Op{
	"==": fact.Equal, "!=": fact.NotEqual, "<": fact.Less, "<=": fact.AtMost, ">": fact.Greater, ">=": fact.AtLeast,
}

// fieldOf returns the field that a node names; false for any other node.
func (n names) fieldOf(x ast.Node, inside *kind) (reference, bool) {
	m, ok := x.(*ast.MemberNode)
	if !ok {
		return reference{}, false
	}
	r, err := n.member(m, inside)
	return r, err == nil
}

// constant returns the value of a node without names.
func constant(x ast.Node) (fact.Value, bool) {
	switch x := x.(type) {
	case *ast.StringNode:
		return fact.Str(x.Value), true
	case *ast.BoolNode:
		return fact.Flag(x.Value), true
	}
	y, ok := language.Constant(x)
	return fact.Num(y), ok
}

// test returns a condition on one field of one fact as data.
func (n names) test(x ast.Node, inside *kind) (fact.Test, bool) {
	none := fact.Test{}
	if r, ok := n.fieldOf(x, inside); ok && r.typ() == fact.Bool {
		return fact.Is(r.field, fact.Equal, fact.Flag(true)), true
	}
	switch x := x.(type) {
	case *ast.UnaryNode:
		if r, ok := n.fieldOf(x.Node, inside); ok && r.typ() == fact.Bool && (x.Operator == "not" ||
			x.Operator == "!") {
			return fact.Is(r.field, fact.Equal, fact.Flag(false)), true
		}
	case *ast.BinaryNode:
		op, compares := comparisons[x.Operator]
		left, isLeft := n.fieldOf(x.Left, inside)
		right, isRight := n.fieldOf(x.Right, inside)
		switch {
		case x.Operator == "in" && isLeft:
			return n.in(left, x.Right)
		case !compares:
		case isLeft:
			if c, ok := constant(x.Right); ok && c.Type() == left.typ() {
				return fact.Is(left.field, op, c), true
			}
		case isRight:
			if c, ok := constant(x.Left); ok && c.Type() == right.typ() {
				return fact.Is(right.field, op.Flip(), c), true
			}
		}
	}
	return none, false
}

// in returns the membership of a field in a list of constants.
func (n names) in(r reference, list ast.Node) (t fact.Test, ok bool) {
	a, ok := list.(*ast.ArrayNode)
	if !ok {
		return t, false
	}
	var values []fact.Value
	for _, x := range a.Nodes {
		c, ok := constant(x)
		if !ok || c.Type() != r.typ() {
			return t, false
		}
		values = append(values, c)
	}
	return fact.Is(r.field, fact.In, values...), len(values) > 0
}

// join returns a comparison of two facts as data: a field of the fact of one name with a field of another's, to which a
// constant may be added.
func (n names) join(x ast.Node, of string, inside *kind) (j fact.Join, ok bool) {
	b, ok := x.(*ast.BinaryNode)
	if !ok {
		return j, false
	}
	op, ok := comparisons[b.Operator]
	if !ok {
		return j, false
	}
	near, far := b.Left, b.Right
	if r, is := n.fieldOf(near, inside); !is || r.of != of {
		near, far, op = far, near, op.Flip()
	}
	r, isNear := n.fieldOf(near, inside)
	other, plus, isFar := n.shifted(far, inside)
	if !isNear || !isFar || r.of != of || other.of == of || other.of == it || r.typ() != other.typ() ||
		plus != 0 && r.typ() != fact.Number {
		return j, false
	}
	if r.typ() == fact.Bool && op > fact.NotEqual {
		return j, false
	}
	return fact.Join{Field: r.field, Op: op, Of: n.index(other.of), Other: other.field, Plus: plus}, true
}

// shifted returns a field to which a constant may be added.
func (n names) shifted(x ast.Node, inside *kind) (r reference, plus float64, ok bool) {
	if r, ok := n.fieldOf(x, inside); ok {
		return r, 0, true
	}
	b, ok := x.(*ast.BinaryNode)
	if !ok || b.Operator != "+" && b.Operator != "-" {
		return r, 0, false
	}
	r, isField := n.fieldOf(b.Left, inside)
	c, isConstant := language.Constant(b.Right)
	if b.Operator == "-" {
		c = -c
	}
	return r, c, isField && isConstant
}

func (r reference) typ() fact.Type { return r.kind.columns[r.field].typ }

// owners are the names whose facts an expression refers to, each once.
func owners(refs []reference) (list []string) {
	for _, r := range refs {
		if !slices.Contains(list, r.of) {
			list = append(list, r.of)
		}
	}
	return list
}
