package language

// Numbers with units in conditions: burner.out.Tt > 1400 K. What they are compared with decides what they are converted
// to, and a unit of something else is an error, where that has a known dimension.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// percents are values that are percentages as they stand: 12 is 12 %.
var percents = []string{"SMN", "SMW"}

// parseUnits parses an expression and converts its numbers with units. Dimension is that of a path, and whether it is
// known; nil: none is.
func parseUnits(text string, cfg *conf.Config, dimension func(path []string) (unit.Dimension, bool)) (
	*parser.Tree, error) {
	tree, err := parse(text, cfg)
	if err != nil {
		return nil, err
	}
	_, found := expression.Units(text)
	if len(found) == 0 {
		return tree, nil
	}
	c := &converter{found: map[int]expression.Quantity{}, dimension: dimension}
	for _, q := range found {
		c.found[q.At] = q
	}
	ast.Walk(&tree.Node, c)
	if c.err == nil {
		ast.Walk(&tree.Node, &leftover{c})
	}
	return tree, c.err
}

// Conjuncts are the conditions that all must hold for one to hold.
func Conjuncts(n ast.Node) []ast.Node {
	if b, ok := n.(*ast.BinaryNode); ok && (b.Operator == "and" || b.Operator == "&&") {
		return append(Conjuncts(b.Left), Conjuncts(b.Right)...)
	}
	return []ast.Node{n}
}

// converter converts the numbers that stand beside something else.
type converter struct {
	found     map[int]expression.Quantity // that are not converted yet, by place
	dimension func(path []string) (unit.Dimension, bool)
	err       error
}

// Visit implements ast.Visitor.
func (c *converter) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.BinaryNode)
	if !ok || !slices.Contains([]string{"<", "<=", ">", ">=", "==", "!=", "+", "-"}, n.Operator) {
		return
	}
	difference := n.Operator == "+" || n.Operator == "-"
	c.beside(&n.Left, n.Right, difference)
	c.beside(&n.Right, n.Left, difference)
}

// beside converts a number as what stands on the other side of an operator.
func (c *converter) beside(number *ast.Node, other ast.Node, difference bool) {
	q, ok := c.found[(*number).Location().From]
	if !ok || c.err != nil || !isNumber(*number) {
		return
	}
	path := c.path(other)
	if len(path) == 0 {
		return
	}
	if slices.Contains(percents, path[len(path)-1]) && q.Unit == "%" {
		delete(c.found, (*number).Location().From)
		return
	}
	dim, known := c.of(path)
	if !known {
		return
	}
	if dim == unit.Temperature && difference {
		dim = unit.TemperatureDiff
	}
	c.convert(number, q, dim)
}

// of is the dimension of a path.
func (c *converter) of(path []string) (unit.Dimension, bool) {
	if c.dimension != nil {
		return c.dimension(path)
	}
	return unit.None, false
}

// path is the name of a value, or of that whose size or mean is taken; nil if there is none.
func (c *converter) path(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return []string{n.Value}
	case *ast.MemberNode:
		return config.DottedPath(n)
	case *ast.CallNode:
		if slices.Contains([]string{"mean", "least", "most", "value"}, Callee(n)) && len(n.Arguments) > 0 {
			if s, ok := n.Arguments[0].(*ast.StringNode); ok {
				return []string{s.Value}
			}
			return c.path(n.Arguments[0])
		}
	case *ast.BuiltinNode:
		if n.Name == "abs" {
			return c.path(n.Arguments[0])
		}
	case *ast.UnaryNode:
		return c.path(n.Node)
	}
	return nil
}

func isNumber(n ast.Node) bool {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return true
	}
	return false
}

// convert puts the SI value in the place of a number.
func (c *converter) convert(number *ast.Node, q expression.Quantity, dim unit.Dimension) {
	u, err := unit.New(q.Unit, dim)
	if err != nil {
		c.err = fmt.Errorf("%s: %s", q.Text, err.(*unit.Error).Reason)
		return
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(q.Text, q.Unit)), 64)
	if err != nil {
		c.err = err
		return
	}
	delete(c.found, (*number).Location().From)
	ast.Patch(number, &ast.FloatNode{Value: u.ToSI(x)})
}

// leftover converts the numbers that stand beside nothing whose dimension is known, by their unit alone.
type leftover struct{ *converter }

// Visit implements ast.Visitor.
func (l *leftover) Visit(node *ast.Node) {
	q, ok := l.found[(*node).Location().From]
	if !ok || l.err != nil || !isNumber(*node) {
		return
	}
	l.convert(node, q, expression.Dimensions(q.Unit)[0])
}

// dimension is that of a value of a run, a component or an engine, by the last word of its path, as far as the table of
// quantities has it; Tt_in is Tt of the port in.
func dimension(path []string) (unit.Dimension, bool) {
	name := path[len(path)-1]
	d, ok := quantities[strings.TrimSuffix(strings.TrimSuffix(name, "_in"), "_out")]
	return d, ok
}

// quantities are the dimensions of the quantities that results have everywhere.
var quantities = func() map[string]unit.Dimension {
	all := map[string]unit.Dimension{"PR": unit.None, "eff": unit.None, "residual": unit.None, "silent": unit.Time,
		"pace": unit.Time}
	for _, q := range append(quantity.Performance, quantity.W, quantity.Pt, quantity.Tt, quantity.Ht, quantity.FAR,
		quantity.WAR,
		quantity.Wc, quantity.Ps, quantity.Ts, quantity.MN, quantity.A, quantity.V) {
		all[q.Name] = q.Dim
	}
	return all
}()
