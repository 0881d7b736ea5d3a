package index

// Conditions on runs, in the language of rules' conditions. A run that lacks a value which a condition names does not
// meet it.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/optimizer"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// Condition is a condition on runs. Its parts are those that stand beside and: each is a part of the query, or judged
// run by run.
type Condition struct {
	fields  map[string]Field // by their names in the tree
	names   []string         // of these, in order
	queried []ast.Node
	program *vm.Program // of the others; nil: there are none
}

// Condition compiles a condition.
func (f *Fields) Condition(text string) (*Condition, error) {
	c, err := f.compile(text, true)
	if err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	return c, nil
}

// compile compiles a condition; query says whether parts of it are left to the query.
func (f *Fields) compile(text string, query bool) (*Condition, error) {
	tree, err := language.Parse(text, f.dimension)
	if err != nil {
		return nil, err
	}
	n := &namer{fields: f, named: map[string]Field{}}
	n.name(&tree.Node)
	if n.err != nil {
		return nil, n.err
	}
	if err := n.constants(tree.Node); err != nil {
		return nil, err
	}
	c := &Condition{fields: n.named, names: n.names}
	cfg := conf.CreateNew()
	expr.AsBool()(cfg)
	env := types.Map{}
	for name, field := range c.fields {
		env[name] = [...]types.Type{Text: types.String, Number: types.Float64, Truth: types.Bool}[field.Kind]
	}
	cfg.WithEnv(env)
	if _, err := checker.Check(tree, cfg); err != nil {
		return nil, c.explain(err)
	}
	var rest ast.Node
	for _, part := range language.Conjuncts(tree.Node) {
		switch _, ok := (&translator{condition: c}).of(part); {
		case ok && query:
			c.queried = append(c.queried, part)
		case rest == nil:
			rest = part
		default:
			rest = &ast.BinaryNode{Operator: "and", Left: rest, Right: part}
		}
	}
	if rest == nil {
		return c, nil
	}
	c.program, err = program(&parser.Tree{Node: rest, Source: tree.Source}, cfg)
	return c, c.explain(err)
}

func program(tree *parser.Tree, cfg *conf.Config) (*vm.Program, error) {
	if _, err := checker.Check(tree, cfg); err != nil {
		return nil, err
	}
	if err := optimizer.Optimize(&tree.Node, cfg); err != nil {
		return nil, err
	}
	return compiler.Compile(tree, cfg)
}

// explain shortens an error of expr, whose excerpt shows a text that is blanked.
func (c *Condition) explain(err error) error {
	var e *file.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s, at column %d", e.Message, e.Column+1)
	}
	return err
}

// dimension is that of a path.
func (f *Fields) dimension(path []string) (unit.Dimension, bool) {
	field, err := f.Find(strings.Join(path, "."))
	if err != nil || field.Kind != Number || field.isValue() && !field.known {
		return unit.None, false // a solver that is not known says nothing of it
	}
	return field.Dim, true
}

// namer gives the fields that a tree refers to simple names.
type namer struct {
	fields *Fields
	named  map[string]Field
	names  []string
	locals []string
	err    error
}

func (n *namer) name(tree *ast.Node) {
	ast.Walk(tree, visitor(func(node *ast.Node) { // a.b, before a is taken for a name
		switch x := (*node).(type) {
		case *ast.VariableDeclaratorNode:
			n.locals = append(n.locals, x.Name)
		case *ast.CallNode:
			n.fail(fmt.Errorf("there is no function %s of runs", x.Callee))
		}
	}))
	n.paths(tree)
}

// paths replaces the paths in a tree, from its root on: the longest path at a place is the field's.
func (n *namer) paths(tree *ast.Node) {
	ast.Walk(tree, visitor(func(node *ast.Node) {
		if m, ok := (*node).(*ast.MemberNode); ok {
			if path := config.DottedPath(m); path != nil {
				if field, err := n.fields.Find(strings.Join(path, ".")); err == nil {
					n.replace(node, field)
				}
			}
		}
	}))
	ast.Walk(tree, visitor(func(node *ast.Node) {
		switch x := (*node).(type) {
		case *ast.IdentifierNode:
			if _, done := n.named[x.Value]; done || slices.Contains(n.locals, x.Value) ||
				slices.Contains(roles, x.Value) {
				return
			}
			field, err := n.fields.Find(x.Value)
			if err != nil {
				n.fail(err)
				return
			}
			n.replace(node, field)
		case *ast.MemberNode:
			if path := config.DottedPath(x); path != nil {
				_, err := n.fields.Find(strings.Join(path, "."))
				n.fail(err)
			}
		}
	}))
}

// constants checks the texts that stand beside fields of which not every text is a value, and writes times as the
// index has them.
func (n *namer) constants(tree ast.Node) (err error) {
	check := func(operator string, field, text ast.Node) {
		name, ok := field.(*ast.IdentifierNode)
		value, constant := text.(*ast.StringNode)
		if !ok || !constant || err != nil {
			return
		}
		switch f := n.named[name.Value]; {
		case f.time:
			var t time.Time
			if t, err = readMoment(value.Value); err == nil {
				value.Value = stamp(t)
			}
		case f.among != nil && slices.Contains([]string{"==", "!=", "in"}, operator) && !slices.Contains(f.among,
			value.Value):
			err = fmt.Errorf("no %s is %q%s", f.Name, value.Value, spell.Hint(value.Value, f.among))
		}
	}
	ast.Walk(&tree, visitor(func(node *ast.Node) {
		b, ok := (*node).(*ast.BinaryNode)
		if !ok {
			return
		}
		if _, compares := comparisons[b.Operator]; compares {
			check(b.Operator, b.Left, b.Right)
			check(b.Operator, b.Right, b.Left)
		}
		if list, ok := b.Right.(*ast.ArrayNode); ok && b.Operator == "in" {
			for _, one := range list.Nodes {
				check(b.Operator, b.Left, one)
			}
		}
	}))
	return err
}

// roles are the first words of full names.
var roles = []string{string(Input), string(Output)}

// replace puts the name of a field into the place of a node. No field has a name with such an ending.
func (n *namer) replace(node *ast.Node, field Field) {
	name := strings.ReplaceAll(field.Name, ".", "_") + "_of_run"
	for other, there := n.named[name]; there && other.Name != field.Name; other, there = n.named[name] {
		name += "_"
	}
	if _, there := n.named[name]; !there {
		n.named[name] = field
		n.names = append(n.names, name)
	}
	ast.Patch(node, &ast.IdentifierNode{Value: name})
}

func (n *namer) fail(err error) {
	if n.err == nil {
		n.err = err
	}
}

// visitor is a function as an ast.Visitor, which visits a node after its children.
type visitor func(node *ast.Node)

// Visit implements ast.Visitor.
func (v visitor) Visit(node *ast.Node) { v(node) }
