// Package condition compiles the conditions of commands, such as "residual < 1e-3 and limits.k4[2] > 0", for
// a registry of package steer. The language is that of github.com/expr-lang/expr with the functions that numbers
// need: nothing in it loops or grows.
//
// A name is that of an object, with the place inside it, or "iteration". Each is a number; true is 1.
package condition

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/peregrine-sim/peregrine/zoom/steer"
)

const (
	mostBytes = 1000 // of a condition
	mostNodes = 200  // of its tree
)

// functions are those that a condition may call.
var functions = []string{"abs", "ceil", "floor", "round", "max", "min"}

// operators have two numbers or conditions.
var operators = []string{"<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "**", "^", "and", "&&", "or", "||"}

// Compile returns the condition of a text.
func Compile(text string) (p steer.Predicate, err error) {
	defer func() {
		if fault := recover(); fault != nil { // of the compiler's
			err = fmt.Errorf("condition %q: %v", text, fault)
		}
	}()
	if len(text) > mostBytes {
		return nil, fmt.Errorf("a condition of %d bytes; it may have %d", len(text), mostBytes)
	}
	names := &namer{}
	options := []expr.Option{
		expr.Env(map[string]any{number: func(string) (float64, error) { return 0, nil }}),
		expr.AsBool(), expr.MaxNodes(mostNodes), expr.Patch(names), expr.DisableAllBuiltins(),
	}
	for _, f := range functions {
		options = append(options, expr.EnableBuiltin(f))
	}
	program, err := expr.Compile(text, options...)
	if names.err != nil {
		err = names.err
	}
	if err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	return evaluator(text, program), nil
}

// evaluator returns the predicate of a compiled condition, for one goroutine at a time.
func evaluator(text string, program *vm.Program) steer.Predicate {
	var machine vm.VM
	return func(get func(string) (float64, bool)) (bool, error) {
		env := map[string]any{number: func(name string) (float64, error) {
			if x, there := get(name); there {
				return x, nil
			}
			return math.NaN(), fmt.Errorf("there is no number %q", name)
		}}
		holds, err := machine.Run(program, env)
		if err != nil {
			return false, fmt.Errorf("condition %q: %w", text, err)
		}
		return holds == true, nil
	}
}

// number is the function that stands for each name in a compiled condition. No object can be named so.
const number = "$number"

// namer puts a call of number in the place of each name: a, a.b, a.b[2].
type namer struct{ err error }

// Visit implements [ast.Visitor]. The parts of a node were visited before it.
func (v *namer) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		ast.Patch(node, call(n.Value))
	case *ast.MemberNode:
		base, ok := named(n.Node)
		switch p := n.Property.(type) {
		case *ast.StringNode:
			ast.Patch(node, call(base+"."+p.Value))
		case *ast.IntegerNode:
			ast.Patch(node, call(base+"["+strconv.Itoa(p.Value)+"]"))
		default:
			ok = false
		}
		if !ok {
			v.fail("an index must be a whole number, as in limits.k4[2]")
		}
	case *ast.CallNode:
		name, _ := named(n.Callee)
		v.fail(fmt.Sprintf("there is no function %s; there are %v", name, functions))
	case *ast.BuiltinNode:
		if !slices.Contains(functions, n.Name) { // those that take predicates cannot be disabled
			v.fail(fmt.Sprintf("there is no function %s; there are %v", n.Name, functions))
		}
	case *ast.BinaryNode:
		if !slices.Contains(operators, n.Operator) {
			v.fail(fmt.Sprintf("there is no operator %s; there are %v", n.Operator, operators))
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.UnaryNode, *ast.ConditionalNode:
	default:
		v.fail("it may compare numbers and combine what comes of that, nothing else")
	}
}

func (v *namer) fail(why string) {
	if v.err == nil {
		v.err = fmt.Errorf("%s", why)
	}
}

func call(name string) ast.Node {
	return &ast.CallNode{
		Callee: &ast.IdentifierNode{Value: number}, Arguments: []ast.Node{&ast.StringNode{Value: name}},
	}
}

// named returns the name for which a call of number stands.
func named(n ast.Node) (string, bool) {
	c, ok := n.(*ast.CallNode)
	if !ok || len(c.Arguments) != 1 {
		return "", false
	}
	s, ok := c.Arguments[0].(*ast.StringNode)
	if !ok {
		return "", false
	}
	return s.Value, true
}
