package index

// The part of a condition that the database judges. It is that of the language on which both agree to the bit:
// comparisons of fields with constants and with each other, and what joins them. Arithmetic is not: a number that is
// not finite is NULL to SQL.

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// translator writes nodes of a condition as SQL.
type translator struct {
	condition *Condition
	field     func(Field) string // its value in the query
	arguments []any
}

// of translates a condition or a part of one; false: it cannot.
func (t *translator) of(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.BoolNode:
		return map[bool]string{true: "1", false: "0"}[n.Value], true
	case *ast.UnaryNode:
		x, ok := t.of(n.Node)
		return "(NOT " + x + ")", ok && (n.Operator == "not" || n.Operator == "!")
	case *ast.IdentifierNode:
		f, ok := t.condition.fields[n.Value]
		return t.value(f), ok && f.Kind == Truth
	case *ast.BinaryNode:
		return t.binary(n)
	}
	return "", false
}

func (t *translator) value(f Field) string {
	if t.field == nil {
		return ""
	}
	return t.field(f)
}

// joins are the operators between conditions.
var joins = map[string]string{"and": "AND", "&&": "AND", "or": "OR", "||": "OR"}

// comparisons are the operators between values.
var comparisons = map[string]string{"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

func (t *translator) binary(n *ast.BinaryNode) (string, bool) {
	if op, ok := joins[n.Operator]; ok {
		a, first := t.of(n.Left)
		b, second := t.of(n.Right)
		return "(" + a + " " + op + " " + b + ")", first && second
	}
	if op, ok := comparisons[n.Operator]; ok {
		return t.comparison(n, op)
	}
	a, ok := t.operand(n.Left)
	if !ok || a.kind != Text || a.constant {
		return "", false
	}
	if n.Operator == "in" {
		return t.among(a, n.Right)
	}
	b, ok := t.operand(n.Right)
	if !ok || !b.constant || b.kind != Text {
		return "", false
	}
	switch n.Operator {
	case "contains":
		return "(instr(" + a.sql + ", " + b.sql + ") > 0)", true
	case "startsWith":
		return "(substr(" + a.sql + ", 1, " + strconv.Itoa(b.length) + ") = " + b.sql + ")", true
	}
	return "", false
}

// operand is one side of a comparison.
type operand struct {
	sql      string
	kind     Kind
	constant bool
	length   int // of a text that is constant, characters
}

func (t *translator) comparison(n *ast.BinaryNode, op string) (string, bool) {
	a, first := t.operand(n.Left)
	b, second := t.operand(n.Right)
	return "(" + a.sql + " " + op + " " + b.sql + ")", first && second && a.kind == b.kind &&
		!(a.constant && b.constant)
}

func (t *translator) operand(n ast.Node) (operand, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		f, ok := t.condition.fields[n.Value]
		return operand{sql: t.value(f), kind: f.Kind}, ok
	case *ast.StringNode:
		if !utf8.ValidString(n.Value) || strings.Contains(n.Value, "\x00") {
			return operand{}, false
		}
		return operand{t.argument(n.Value), Text, true, utf8.RuneCountInString(n.Value)}, true
	case *ast.BoolNode:
		return operand{t.argument(n.Value), Truth, true, 0}, true
	}
	if x, ok := constant(n); ok {
		return operand{t.argument(x), Number, true, 0}, true
	}
	return operand{}, false
}

// constant is a number with its sign.
func constant(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return float64(n.Value), true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.UnaryNode:
		x, ok := constant(n.Node)
		if n.Operator == "-" {
			x = -x
		}
		return x, ok && (n.Operator == "-" || n.Operator == "+")
	}
	return 0, false
}

// among translates class in ["diverged", "stalled"].
func (t *translator) among(a operand, n ast.Node) (string, bool) {
	list, ok := n.(*ast.ArrayNode)
	if !ok || len(list.Nodes) == 0 {
		return "", false
	}
	var of []string
	for _, n := range list.Nodes {
		x, ok := t.operand(n)
		if !ok || !x.constant || x.kind != Text {
			return "", false
		}
		of = append(of, x.sql)
	}
	return "(" + a.sql + " IN (" + strings.Join(of, ", ") + "))", true
}

func (t *translator) argument(x any) string {
	t.arguments = append(t.arguments, x)
	return "?"
}
