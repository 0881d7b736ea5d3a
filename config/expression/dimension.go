package expression

// Numbers with units in conditions: burner.out.Tt > 1400 K. The other side of the comparison decides the unit of the
// conversion. If its dimension is known, a unit of another dimension is an error.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"

	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// percents are values that are percentages as they stand: 12 is 12 %.
var percents = []string{"SMN", "SMW"}

// Parse parses an expression, and converts its numbers with units to SI. The function dimension returns the dimension
// of a path, and whether it is known; the table of quantities has those of other paths. Nil: none is known.
func Parse(text string, cfg *conf.Config, dimension func(path []string) (unit.Dimension, bool)) (*parser.Tree, error) {
	plain, found := Units(text)
	tree, err := parser.ParseWithConfig(plain, cfg)
	if err != nil || len(found) == 0 {
		return tree, err
	}
	c := &converter{found: map[int]Quantity{}, dimension: dimension}
	for _, q := range found {
		c.found[q.At] = q
	}
	ast.Walk(&tree.Node, Visitor(c.compared))
	if c.err == nil {
		ast.Walk(&tree.Node, Visitor(c.left))
	}
	if e, ok := c.err.(*Error); ok {
		e.in(text)
	}
	return tree, c.err
}

// converter converts the numbers that stand beside something else.
type converter struct {
	found     map[int]Quantity // that are not converted yet, by place
	dimension func(path []string) (unit.Dimension, bool)
	err       error
}

// Seconds is the name of a function that marks an argument of another function as a time: in mean(x, 5 min) it is
// seconds(300).
const Seconds = "seconds"

// Times replaces the times among the arguments of functions by their numbers, s.
var Times = Visitor(func(node *ast.Node) {
	if n, ok := (*node).(*ast.CallNode); ok && callee(n) == Seconds && len(n.Arguments) == 1 {
		*node = n.Arguments[0]
	}
})

// windowed are the functions whose second argument is a number of iterations or a time.
var windowed = []string{"mean", "median", "quantile", "least", "most", "rate", "trend", "wobble", "crossings", "steady",
	"absent"}

// times marks the times among the arguments of a function.
func (c *converter) times(n *ast.CallNode) {
	for i := range n.Arguments {
		a := &n.Arguments[i]
		q, ok := c.found[(*a).Location().From]
		_, err := unit.New(q.Unit, unit.Time)
		if !ok || !isNumber(*a) || err != nil && !(i == 1 && slices.Contains(windowed, callee(n))) {
			continue
		}
		if c.convert(a, q, unit.Time); callee(n) != Seconds {
			at := (*a).Location()
			*a = &ast.CallNode{Callee: &ast.IdentifierNode{Value: Seconds}, Arguments: []ast.Node{*a}}
			(*a).SetLocation(at)
		}
	}
}

// compared converts the numbers that stand beside a name.
func (c *converter) compared(node *ast.Node) {
	if n, ok := (*node).(*ast.CallNode); ok {
		c.times(n)
	}
	n, ok := (*node).(*ast.BinaryNode)
	if !ok || !slices.Contains([]string{"<", "<=", ">", ">=", "==", "!=", "+", "-"}, n.Operator) {
		return
	}
	difference := n.Operator == "+" || n.Operator == "-"
	c.beside(&n.Left, n.Right, difference)
	c.beside(&n.Right, n.Left, difference)
}

// beside converts a number by the dimension of the other side of an operator.
func (c *converter) beside(number *ast.Node, other ast.Node, difference bool) {
	q, ok := c.found[(*number).Location().From]
	if !ok || c.err != nil || !isNumber(*number) {
		return
	}
	path := c.path(other)
	if len(path) > 0 && slices.Contains(percents, path[len(path)-1]) && q.Unit == "%" {
		delete(c.found, (*number).Location().From)
		return
	}
	dim, known := c.of(other, path)
	if !known {
		return
	}
	if dim == unit.Temperature && difference {
		dim = unit.TemperatureDiff
	}
	c.convert(number, q, dim)
}

// of is the dimension of a node, whose path is given.
func (c *converter) of(n ast.Node, path []string) (unit.Dimension, bool) {
	if f, ok := n.(*ast.CallNode); ok && slices.Contains(ratios, callee(f)) {
		return unit.None, true
	}
	if c.dimension == nil || len(path) == 0 {
		return unit.None, false
	}
	if d, known := c.dimension(path); known {
		return d, true
	}
	if word, _, more := strings.Cut(path[0], "_"); more && len(path) == 1 && slices.Contains(families, word) {
		return unit.None, true
	}
	// Tt_in is Tt of the port in.
	d, known := quantities[strings.TrimSuffix(strings.TrimSuffix(path[len(path)-1], "_in"), "_out")]
	return d, known
}

// Functions of a value without a dimension, and beginnings of the names of such values of a run.
var (
	ratios   = []string{"drop", "rise", "trend", "wobble", "crossings", "nonfinite", "imbalance"}
	families = []string{"residual", "final", "inner", "continuity", "courant"}
)

func callee(n *ast.CallNode) string {
	if f, ok := n.Callee.(*ast.IdentifierNode); ok {
		return f.Value
	}
	return ""
}

// path is the name of a value, or of the value in a function such as abs or mean, or of one that is multiplied by a
// number; nil for other nodes.
func (c *converter) path(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return []string{n.Value}
	case *ast.MemberNode:
		_, inner := n.Node.(*ast.MemberNode)
		word, ok := n.Property.(*ast.StringNode)
		if p := Path(n); p != nil || !ok {
			return p
		}
		if of := c.path(n.Node); of != nil || !inner { // .x of a fact that a count looks at
			return append(of, word.Value)
		}
	case *ast.CallNode:
		same := []string{"mean", "median", "quantile", "least", "most", "value", "at"}
		if slices.Contains(same, callee(n)) && len(n.Arguments) > 0 {
			if s, ok := n.Arguments[0].(*ast.StringNode); ok {
				return []string{s.Value}
			}
			return c.path(n.Arguments[0])
		}
	case *ast.BuiltinNode:
		switch {
		case n.Name == "abs":
			return c.path(n.Arguments[0])
		case n.Name == "map" && len(n.Arguments) == 2: // of numbers, in median(map(runs, .x))
			return c.path(n.Arguments[1])
		}
	case *ast.PredicateNode:
		return c.path(n.Node)
	case *ast.BinaryNode:
		switch {
		case n.Operator != "*" && n.Operator != "/":
		case isNumber(n.Right):
			return c.path(n.Left)
		case isNumber(n.Left) && n.Operator == "*":
			return c.path(n.Right)
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
func (c *converter) convert(number *ast.Node, q Quantity, dim unit.Dimension) {
	u, err := unit.New(q.Unit, dim)
	if err != nil {
		c.err = &Error{At: q.At, Text: q.Text, Reason: err.(*unit.Error).Reason, Err: err}
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

// left converts the remaining numbers, beside a value of unknown dimension, by their unit alone.
func (c *converter) left(node *ast.Node) {
	q, ok := c.found[(*node).Location().From]
	if !ok || c.err != nil || !isNumber(*node) {
		return
	}
	c.convert(node, q, Dimensions(q.Unit)[0])
}

// quantities are the dimensions of the quantities that results have everywhere.
var quantities = func() map[string]unit.Dimension {
	all := map[string]unit.Dimension{"PR": unit.None, "eff": unit.None, "residual": unit.None, "silent": unit.Time,
		"pace": unit.Time, "clock": unit.Time, "cpu": unit.Time, "dt": unit.Time, "iteration": unit.None,
		"iterations": unit.None, "stood": unit.None, "mesh": unit.None, "non_finite": unit.None}
	for _, q := range append(quantity.Performance, quantity.W, quantity.Pt, quantity.Tt, quantity.Ht, quantity.FAR,
		quantity.WAR, quantity.Wc, quantity.Ps, quantity.Ts, quantity.MN, quantity.A, quantity.V) {
		all[q.Name] = q.Dim
	}
	return all
}()
