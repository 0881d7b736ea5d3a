// Package expression compiles users' conditions, formulas and outputs, in the language of github.com/expr-lang/expr. A
// Grammar defines the names and functions of a text, their shapes and dimensions, and whether numbers have units
// (burner.out.Tt > 1400 K). Every fault has its place, and the nearest name.
//
//	e, err := grammar.Compile("ratio * hpc.out.Pt") // err: Errors
//	x, err := e.Value(&machine, env)                // env: the grammar's environment and the values of e.Names
package expression

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

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

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Shape is the kind of value of a name or an expression.
type Shape int

// Shapes of values: float64, []float64, string and bool.
const (
	Any Shape = iota // shows when it is evaluated
	Number
	List
	Text
	Truth
	Other // none of these
)

func (s Shape) String() string {
	return [...]string{"any", "number", "list", "text", "truth", "other"}[s]
}

var shapes = [...]types.Type{
	Any: types.Any, Number: types.Float64, List: types.TypeOf([]float64(nil)), Text: types.String, Truth: types.Bool,
}

// Grammar defines the possible contents of expressions of one kind.
type Grammar struct {
	// Names returns the shape of the value of a name, or an error that lists the known names. In a dotted path the
	// longest part that is a name counts.
	Names func(name string) (Shape, error)
	// Known are functions and constants.
	Known map[string]any
	// Builtins are the functions of the language that may be called; nil: all.
	Builtins []string
	// Dimension returns the dimension of a path, if it is known. Without it numbers have no units.
	Dimension func(path []string) (unit.Dimension, bool)
	// Only restricts expressions to numbers, names, operators between two numbers or conditions, choices and calls, so
	// that they contain no loops and no growing values. Its text is the error for all other parts.
	Only string
	// Late looks up each name only when it is needed, so that a name may be unknown before.
	Late bool
	// Patch may change the tree, in which each name is an identifier.
	Patch func(tree ast.Node) error
	// Result is the required shape of an expression; Any: every shape is allowed.
	Result Shape
	// Most is how many nodes an expression may have; 0: as many as the language allows.
	Most uint
}

// Error is a fault of an expression.
type Error struct {
	At     int    // runes before it
	Text   string // the faulty part of the expression, if known
	Reason string
	Err    error // the error with the text Reason; nil: none
	line   int   // from 1; 0: the expression has one line
	column int   // from 1, in that line
}

func (e *Error) Error() string {
	place := fmt.Sprintf("at column %d", e.At+1)
	if e.line > 1 {
		place = fmt.Sprintf("at line %d, column %d", e.line, e.column)
	}
	if e.Text != "" {
		return fmt.Sprintf("%s: %s, %s", e.Text, e.Reason, place)
	}
	return fmt.Sprintf("%s, %s", e.Reason, place)
}

// Unwrap returns the error that is the reason.
func (e *Error) Unwrap() error { return e.Err }

// in notes the line and the column of a fault of a text.
func (e *Error) in(text string) {
	runes := []rune(text)
	lines := strings.Split(string(runes[:min(e.At, len(runes))]), "\n")
	e.line, e.column = len(lines), utf8.RuneCountInString(lines[len(lines)-1])+1
}

// Errors are all faults of an expression, by their places.
type Errors []*Error

func (e Errors) Error() string {
	list := convert.All(e, func(x *Error) string { return x.Error() })
	return strings.Join(list, "; ")
}

// Unwrap returns the faults.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, x := range e {
		list[i] = x
	}
	return list
}

// Located returns an error of the language as Errors. It leaves out the excerpt of the text, in which units are
// replaced by spaces.
func Located(err error) error {
	var fe *file.Error
	var e *Error
	switch {
	case errors.As(err, new(Errors)):
	case errors.As(err, &fe):
		return Errors{{At: fe.From, Reason: plainly(fe.Message), Err: fe.Prev, line: fe.Line, column: fe.Column + 1}}
	case errors.As(err, &e):
		return Errors{e}
	}
	return err
}

var (
	mismatch = regex.Lazy(`^invalid operation: (\S+) \(mismatched types (\w+) and (\w+)\)$`)
	token    = regex.Lazy(`^unexpected token \w+\("(.*)"\)$`)

	kinds = map[string]string{"float64": "a number", "int": "a number", "string": "a text", "bool": "true or false"}
	meant = map[string]string{"=": "==", "&": "and", "|": "or"}
)

// plainly replaces Go's words in a message of the language, and suggests the operator that was meant.
func plainly(message string) string {
	if m := mismatch().FindStringSubmatch(message); m != nil && kinds[m[2]] != "" && kinds[m[3]] != "" {
		return fmt.Sprintf("the sides of %s do not match: %s and %s", m[1], kinds[m[2]], kinds[m[3]])
	}
	if m := token().FindStringSubmatch(message); m != nil {
		message = "unexpected " + m[1]
		if operator := meant[m[1]]; operator != "" {
			message += ", did you mean " + operator + "?"
		}
	}
	return message
}

// Faults returns the faults of an error, with their places; nil for nil.
func Faults(err error) Errors {
	var list Errors
	if err != nil && !errors.As(err, &list) {
		list = Errors{{Reason: err.Error()}}
	}
	return list
}

// Expression is a compiled text.
type Expression struct {
	Text    string
	Tree    ast.Node // each name in it is an identifier
	Names   []string // in the order of the expression
	Shape   Shape
	program *vm.Program
}

// Machine evaluates expressions, one at a time. Its zero value is ready to use.
type Machine = vm.VM

// Compile checks a text and compiles it. Faults of the text are returned as Errors; faults of unknown names list the
// known names.
func (g *Grammar) Compile(text string) (e *Expression, err error) {
	defer func() {
		if fault := recover(); fault != nil { // of the compiler's
			e, err = nil, fmt.Errorf("%v", fault)
		}
	}()
	cfg := conf.CreateNew()
	if g.Most > 0 {
		cfg.MaxNodes = g.Most
	}
	for name := range g.Known {
		cfg.Disabled[name] = true
		delete(cfg.Builtins, name)
	}
	switch g.Result {
	case Number:
		expr.AsFloat64()(cfg)
	case Truth:
		expr.AsBool()(cfg)
	}
	var tree *parser.Tree
	if g.Dimension != nil {
		tree, err = Parse(text, cfg, g.Dimension)
	} else {
		tree, err = parser.ParseWithConfig(text, cfg)
	}
	if err != nil {
		return nil, Located(err)
	}
	r := &resolver{Grammar: g, builtins: g.Builtins, shapes: map[string]Shape{}, faults: map[int]*Error{}}
	if r.builtins == nil {
		r.builtins = slices.Sorted(maps.Keys(cfg.Builtins))
	}
	ast.Walk(&tree.Node, Visitor(r.locals))
	ast.Walk(&tree.Node, Visitor(r.resolve))
	e = &Expression{Text: text, Tree: tree.Node, Names: r.used(&tree.Node)}
	if err := r.err(text); err != nil {
		return e, err
	}
	if g.Patch != nil {
		if err := g.Patch(tree.Node); err != nil {
			return nil, err
		}
	}
	env := types.Map{late: types.TypeOf(func(string) (float64, error) { return 0, nil })}
	for name, x := range g.Known {
		env[name] = types.TypeOf(x)
	}
	for _, name := range e.Names {
		env[name] = shapes[r.shapes[name]]
	}
	cfg.WithEnv(env)
	is, err := checker.Check(tree, cfg)
	if err != nil {
		return nil, Located(err)
	}
	e.Shape = shapeOf(is)
	if err := optimizer.Optimize(&tree.Node, cfg); err != nil {
		return nil, Located(err)
	}
	e.program, err = compiler.Compile(tree, cfg)
	return e, Located(err)
}

// Environment returns the functions and constants. The caller adds the values of names.
func (g *Grammar) Environment() map[string]any { return maps.Clone(g.Known) }

// Value evaluates an expression in an environment.
func (e *Expression) Value(machine *Machine, env map[string]any) (any, error) {
	x, err := machine.Run(e.program, env)
	return x, Located(err)
}

// LateValue evaluates an expression whose names are looked up late.
func (e *Expression) LateValue(machine *Machine, get func(name string) (float64, error)) (any, error) {
	return e.Value(machine, map[string]any{late: get})
}

func shapeOf(t reflect.Type) Shape {
	if t == nil {
		return Any
	}
	switch t.Kind() {
	case reflect.Int, reflect.Float64:
		return Number
	case reflect.String:
		return Text
	case reflect.Bool:
		return Truth
	case reflect.Slice, reflect.Array:
		return List
	case reflect.Interface:
		return Any
	}
	return Other
}

// late is the function that is called for a name that is looked up late. No name in an expression can be equal to it.
const late = "$number"

// resolver finds the meanings of the names of an expression.
type resolver struct {
	*Grammar
	builtins []string
	let      []string // names that the expression defines
	shapes   map[string]Shape
	faults   map[int]*Error // by place
}

// Visitor is a function as an [ast.Visitor], which visits a node after its children.
type Visitor func(node *ast.Node)

// Visit implements ast.Visitor.
func (v Visitor) Visit(node *ast.Node) { v(node) }

func (r *resolver) locals(node *ast.Node) {
	if n, ok := (*node).(*ast.VariableDeclaratorNode); ok {
		r.let = append(r.let, n.Name)
	}
}

func (r *resolver) resolve(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if !slices.Contains(r.let, n.Value) && r.Known[n.Value] == nil {
			r.name(node, n.Value, n.Location().From)
		}
	case *ast.MemberNode:
		if path, at := nameOf(n); path != "" {
			r.name(node, path, at)
		}
		if _, left := (*node).(*ast.MemberNode); left {
			r.only(*node)
		}
	case *ast.CallNode:
		at := n.Callee.Location().From
		delete(r.faults, at)
		if id, ok := n.Callee.(*ast.IdentifierNode); !ok || !r.function(id.Value) {
			name, _ := nameOf(n.Callee)
			delete(r.shapes, name)
			r.unknown(at, cmp.Or(name, n.Callee.String()))
		}
	case *ast.BuiltinNode:
		if !slices.Contains(r.builtins, n.Name) {
			r.unknown(n.Location().From, n.Name)
		}
	case *ast.BinaryNode:
		if !slices.Contains(operators, n.Operator) {
			r.only(n)
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.UnaryNode, *ast.ConditionalNode:
	default:
		r.only(n)
	}
}

// operators have two numbers or conditions.
var operators = []string{
	"<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "%", "**", "^", "and", "&&", "or", "||", "??",
}

func (r *resolver) only(n ast.Node) {
	if at := n.Location().From; r.Only != "" && r.faults[at] == nil {
		r.faults[at] = &Error{At: at, Text: n.String(), Reason: r.Only}
	}
}

func (r *resolver) function(name string) bool {
	return r.Known[name] != nil && reflect.TypeOf(r.Known[name]).Kind() == reflect.Func
}

// Functions lists the functions that may be called.
func (g *Grammar) Functions() []string {
	r := resolver{Grammar: g}
	return append(slices.DeleteFunc(slices.Sorted(maps.Keys(g.Known)), func(k string) bool { return !r.function(k) }),
		g.Builtins...)
}

// unknown reports an unknown function, and drops the faults of its arguments.
func (r *resolver) unknown(at int, name string) {
	maps.DeleteFunc(r.faults, func(place int, _ *Error) bool { return place > at })
	known := r.Functions()
	if r.Grammar.Builtins == nil {
		known = append(known, r.builtins...)
	}
	r.faults[at] = &Error{At: at, Text: name, Reason: "unknown function" + spell.Hint(name, known)}
}

// name replaces a path that begins at a place by a name. If a path is a name, its beginning need not be a name.
func (r *resolver) name(node *ast.Node, name string, at int) {
	shape, err := r.Names(name)
	switch fault := r.faults[at]; {
	case err == nil:
		delete(r.faults, at)
		r.shapes[name] = shape
		var n ast.Node = &ast.IdentifierNode{Value: name}
		if r.Late {
			n = &ast.CallNode{
				Callee: &ast.IdentifierNode{Value: late}, Arguments: []ast.Node{&ast.StringNode{Value: name}},
			}
		}
		ast.Patch(node, n)
		(*node).SetLocation(file.Location{From: at, To: (*node).Location().To})
	case fault != nil || isIdentifier(*node):
		r.faults[at] = &Error{At: at, Reason: err.Error(), Err: err}
	}
}

func isIdentifier(n ast.Node) bool {
	_, is := n.(*ast.IdentifierNode)
	return is
}

func (r *resolver) err(text string) error {
	var list Errors
	for _, at := range slices.Sorted(maps.Keys(r.faults)) {
		r.faults[at].in(text)
		list = append(list, r.faults[at])
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// used lists the names in a tree.
func (r *resolver) used(tree *ast.Node) (names []string) {
	ast.Walk(tree, Visitor(func(node *ast.Node) {
		if path, _ := nameOf(*node); path != "" && !slices.Contains(names, path) {
			if _, is := r.shapes[path]; is && !slices.Contains(r.let, path) {
				names = append(names, path)
			}
		}
	}))
	return names
}

// nameOf returns the possible name of a node, such as a.b[2], and its beginning; empty: the node cannot be a name.
func nameOf(n ast.Node) (name string, at int) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, n.Location().From
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok && id.Value == late {
			return n.Arguments[0].(*ast.StringNode).Value, n.Location().From
		}
	case *ast.MemberNode:
		of, at := nameOf(n.Node)
		if of == "" || n.Optional || n.Method {
			return "", at
		}
		switch p := n.Property.(type) {
		case *ast.StringNode:
			return of + "." + p.Value, at
		case *ast.IntegerNode:
			return fmt.Sprintf("%s[%d]", of, p.Value), at
		}
	}
	return "", 0
}

// Path returns a.b.c in an expression as its words; nil for a member that is optional (a?.b) or computed.
func Path(n *ast.MemberNode) []string {
	word, ok := n.Property.(*ast.StringNode)
	if !ok || n.Optional {
		return nil
	}
	switch of := n.Node.(type) {
	case *ast.IdentifierNode:
		return []string{of.Value, word.Value}
	case *ast.MemberNode:
		if p := Path(of); p != nil {
			return append(p, word.Value)
		}
	}
	return nil
}

// Conjuncts returns the conditions joined by "and" in a condition.
func Conjuncts(n ast.Node) []ast.Node {
	if b, ok := n.(*ast.BinaryNode); ok && (b.Operator == "and" || b.Operator == "&&") {
		return append(Conjuncts(b.Left), Conjuncts(b.Right)...)
	}
	return []ast.Node{n}
}

// Walk calls visit with each node of a tree, after its children.
func Walk(tree ast.Node, visit func(ast.Node)) {
	ast.Walk(&tree, Visitor(func(node *ast.Node) { visit(*node) }))
}
