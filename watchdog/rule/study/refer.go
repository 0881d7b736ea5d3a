package study

// References of an expression, found in its tree before its types are checked, so that the error for a wrong name can
// suggest the right one.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config"
)

// it is the name, in a tree, of the fact that a count looks at.
const it = "#"

// names are the names that an expression may use.
type names struct {
	kinds kinds
	each  []config.Each
}

// index returns the place of a name of each; -1 if unknown.
func (n names) index(name string) int {
	return slices.IndexFunc(n.each, func(e config.Each) bool { return e.Name == name })
}

// of returns the kind of a name of each; nil if unknown.
func (n names) of(name string) *kind {
	if i := n.index(name); i >= 0 {
		return n.kinds[n.each[i].Kind]
	}
	return nil
}

// reference is a field of a fact that an expression names.
type reference struct {
	of    string // name of each, or it
	kind  *kind
	field int
}

func (r reference) String() string {
	if r.of == it {
		return "." + r.kind.columns[r.field].String()
	}
	return r.of + "." + r.kind.columns[r.field].String()
}

// refer lists the references of an expression, each once. inside is the kind of the fact that a count looks at; nil
// outside of a count.
func (n names) refer(node ast.Node, inside *kind) (list []reference, err error) {
	add := func(more []reference) {
		for _, r := range more {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	all := func(inside *kind, nodes ...ast.Node) error {
		for _, x := range nodes {
			more, err := n.refer(x, inside)
			if err != nil {
				return err
			}
			add(more)
		}
		return nil
	}
	switch x := node.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
	case *ast.IdentifierNode:
		return nil, n.stray(x.Value)
	case *ast.PointerNode:
		return nil, fmt.Errorf("name a field of the fact, such as .name")
	case *ast.MemberNode:
		r, err := n.member(x, inside)
		if err != nil {
			return nil, err
		}
		add([]reference{r})
	case *ast.UnaryNode:
		err = all(inside, x.Node)
	case *ast.BinaryNode:
		err = all(inside, x.Left, x.Right)
	case *ast.ConditionalNode:
		err = all(inside, x.Cond, x.Exp1, x.Exp2)
	case *ast.ArrayNode:
		err = all(inside, x.Nodes...)
	case *ast.BuiltinNode:
		if !slices.Contains(config.Folds, x.Name) {
			err = all(inside, x.Arguments...)
			break
		}
		body, k, fault := n.fold(x)
		switch {
		case fault != nil:
			err = fault
		case inside != nil:
			err = fmt.Errorf("%s is inside another count; let a rule assert the inner result", x.Name)
		default:
			err = all(k, body)
		}
	case *ast.CallNode:
		err = fmt.Errorf("there is no function %s for rules on a study", x.Callee)
	default:
		err = fmt.Errorf("%s is not for rules on a study", node)
	}
	return list, err
}

// fold returns the condition of a count and the kind of its facts.
func (n names) fold(x *ast.BuiltinNode) (ast.Node, *kind, error) {
	id, ok := x.Arguments[0].(*ast.IdentifierNode)
	var k *kind
	if ok {
		k = n.kinds.of(id.Value)
	}
	if k == nil {
		return nil, nil, fmt.Errorf("%s(%s, ...): want a kind of facts, %s", x.Name, x.Arguments[0], n.kindNames())
	}
	if len(x.Arguments) < 2 {
		return nil, nil, fmt.Errorf("%s(%s): the condition is missing; %s(%s, true) takes all", x.Name, id.Value,
			x.Name, id.Value)
	}
	p, ok := x.Arguments[1].(*ast.PredicateNode)
	if !ok {
		return nil, nil, fmt.Errorf("%s: want a condition on each %s", x, k.name)
	}
	return p.Node, k, nil
}

// kindNames lists the kinds for messages.
func (n names) kindNames() string {
	var list []string
	for name := range n.kinds {
		list = append(list, name+"s")
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// stray is the error for a name without a field.
func (n names) stray(name string) error {
	var list []string
	for _, e := range n.each {
		list = append(list, e.Name)
	}
	switch {
	case n.of(name) != nil:
		return fmt.Errorf("%s is a fact: name a field of it, such as %s.name", name, name)
	case n.kinds.of(name) != nil:
		return fmt.Errorf("%s are facts: count(%s, ...), any, all or none judge them", name, name)
	case len(list) == 0:
		return fmt.Errorf("there is no %s: a rule on a study names facts by each: {a: run}, or counts them", name)
	}
	return fmt.Errorf("there is no %s; each names %s", name, strings.Join(list, ", "))
}

// member is the field that a path such as a.given.N or .state names.
func (n names) member(x *ast.MemberNode, inside *kind) (r reference, err error) {
	root, path := unroll(x)
	switch root := root.(type) {
	case *ast.PointerNode:
		r.of, r.kind = it, inside
	case *ast.IdentifierNode:
		if r.of, r.kind = root.Value, n.of(root.Value); root.Value == it {
			r.kind = inside
		}
		if r.kind == nil {
			return r, n.stray(root.Value)
		}
	}
	if r.kind == nil || path == nil {
		return r, fmt.Errorf("%s is no field of a fact", x)
	}
	r.field, err = r.kind.field(path)
	return r, err
}

// unroll returns the root of a path and the other names; none if x is no path.
func unroll(x *ast.MemberNode) (root ast.Node, path []string) {
	for {
		word, ok := x.Property.(*ast.StringNode)
		if !ok || x.Optional || x.Method {
			return nil, nil
		}
		path = append(path, word.Value)
		of, inner := x.Node.(*ast.MemberNode)
		if !inner {
			slices.Reverse(path)
			return x.Node, path
		}
		x = of
	}
}
