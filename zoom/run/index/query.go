package index

// The part of a condition that the database judges: the part of the language on which both agree to the bit. These are
// comparisons of fields with constants and with each other, and the operators that join them. Arithmetic is excluded,
// because SQL treats a number that is not finite as NULL.

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// translator writes nodes of a condition as SQL.
type translator struct {
	fields    *Fields
	condition *Condition
	arguments []any
}

// joins are the operators between conditions; comparisons are between values.
var (
	joins       = map[string]string{"and": "AND", "&&": "AND", "or": "OR", "||": "OR"}
	comparisons = map[string]string{"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
)

// of translates a condition or a part of one; false: SQL cannot express it.
func (t *translator) of(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.UnaryNode:
		x, ok := t.of(n.Node)
		return "(NOT " + x + ")", ok && (n.Operator == "not" || n.Operator == "!")
	case *ast.BinaryNode:
		if op, ok := joins[n.Operator]; ok {
			a, first := t.of(n.Left)
			b, second := t.of(n.Right)
			return "(" + a + " " + op + " " + b + ")", first && second
		}
		return t.binary(n)
	}
	x, ok := t.operand(n)
	return x.sql, ok && x.kind == Truth
}

func (t *translator) binary(n *ast.BinaryNode) (string, bool) {
	a, ok := t.operand(n.Left)
	if list, is := n.Right.(*ast.ArrayNode); is && n.Operator == "in" {
		return t.among(a, ok, list)
	}
	b, second := t.operand(n.Right)
	if !ok || !second || a.kind != b.kind || a.constant && b.constant {
		return "", false
	}
	if op := comparisons[n.Operator]; op != "" {
		return "(" + a.sql + " " + op + " " + b.sql + ")", true
	}
	switch {
	case a.kind != Text || a.constant || !b.constant:
	case n.Operator == "contains":
		return "(instr(" + a.sql + ", " + b.sql + ") > 0)", true
	case n.Operator == "startsWith":
		return "(substr(" + a.sql + ", 1, " + strconv.Itoa(b.length) + ") = " + b.sql + ")", true
	}
	return "", false
}

// among translates class in ["diverged", "stalled"].
func (t *translator) among(a operand, ok bool, list *ast.ArrayNode) (string, bool) {
	var of []string
	for _, n := range list.Nodes {
		x, constant := t.operand(n)
		ok = ok && constant && x.constant && x.kind == Text
		of = append(of, x.sql)
	}
	return "(" + a.sql + " IN (" + strings.Join(of, ", ") + "))", ok && a.kind == Text && !a.constant && len(of) > 0
}

// operand is one side of a comparison.
type operand struct {
	sql      string
	kind     Kind
	constant bool
	length   int // of a text that is constant, characters
}

func (t *translator) operand(n ast.Node) (operand, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		f, ok := t.condition.fields[n.Value]
		return operand{sql: t.fields.sql(f), kind: f.Kind}, ok && f.Name != ""
	case *ast.StringNode:
		if !utf8.ValidString(n.Value) || strings.Contains(n.Value, "\x00") {
			return operand{}, false
		}
		return operand{t.argument(n.Value), Text, true, utf8.RuneCountInString(n.Value)}, true
	case *ast.BoolNode:
		return operand{t.argument(n.Value), Truth, true, 0}, true
	}
	x, ok := constant(n)
	if !ok {
		return operand{}, false
	}
	return operand{t.argument(x), Number, true, 0}, true
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

func (t *translator) argument(x any) string {
	t.arguments = append(t.arguments, x)
	return "?"
}
