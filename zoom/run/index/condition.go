package index

// Conditions on runs, in the language of rules' conditions. A run that lacks a value named by a condition does not meet
// it.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Condition is a condition on runs. SQL judges the parts joined by and that it can express. If other parts remain, the
// whole condition is also judged run by run.
type Condition struct {
	is        *expression.Expression
	fields    map[string]Field // by their names
	queried   []string         // the parts as SQL
	arguments []any            // of these
	rest      bool             // some parts are not SQL
}

// Condition compiles a condition.
func (f *Fields) Condition(text string) (*Condition, error) { return f.compile(text, true) }

// compile compiles a condition; query reports whether SQL may judge parts of it.
func (f *Fields) compile(text string, query bool) (*Condition, error) {
	c := &Condition{fields: map[string]Field{}}
	g := expression.Grammar{
		Names: func(name string) (expression.Shape, error) {
			field, err := f.Find(name)
			c.fields[name] = field
			return field.Kind, err
		},
		Dimension: f.dimension,
		Patch: func(tree ast.Node) error {
			if err := c.constants(tree); err != nil {
				return err
			}
			for _, part := range expression.Conjuncts(tree) {
				t := &translator{fields: f, condition: c}
				if sql, ok := t.of(part); ok && query {
					c.queried, c.arguments = append(c.queried, sql), append(c.arguments, t.arguments...)
				} else {
					c.rest = true
				}
			}
			return nil
		},
		Result: expression.Truth,
	}
	var err error
	if c.is, err = g.Compile(text); err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	return c, nil
}

// dimension returns the dimension of a path.
func (f *Fields) dimension(path []string) (unit.Dimension, bool) {
	field, err := f.Find(strings.Join(path, "."))
	if err != nil || field.Kind != Number || field.isValue() && !field.known {
		return unit.None, false // the solver is unknown, and with it the dimension
	}
	return field.Dim, true
}

// constants checks constant texts that are compared with a field of fixed values, and converts times to the form in the
// index.
func (c *Condition) constants(tree ast.Node) (err error) {
	check := func(operator string, field, text ast.Node) {
		name, ok := field.(*ast.IdentifierNode)
		if ok && c.fields[name.Value].words && slices.Contains([]string{"!=", "<", "<=", ">", ">="}, operator) {
			err = fmt.Errorf("%s %s: want %[1]s == \"x\" or not (%[1]s == \"x\")", name.Value, operator)
		}
		value, constant := text.(*ast.StringNode)
		if !ok || !constant || err != nil {
			return
		}
		switch f := c.fields[name.Value]; {
		case f.time:
			var t time.Time
			if t, err = readMoment(value.Value); err == nil {
				value.Value = stamp(t)
			}
		case f.among != nil && slices.Contains([]string{"==", "!=", "in"}, operator) &&
			!slices.Contains(f.among, value.Value):
			err = fmt.Errorf("no %s is %q%s", f.Name, value.Value, spell.Hint(value.Value, f.among))
		}
	}
	expression.Walk(tree, func(node ast.Node) {
		b, ok := node.(*ast.BinaryNode)
		if !ok {
			return
		}
		if comparisons[b.Operator] != "" {
			check(b.Operator, b.Left, b.Right)
			check(b.Operator, b.Right, b.Left)
		}
		if list, ok := b.Right.(*ast.ArrayNode); ok && b.Operator == "in" {
			for _, one := range list.Nodes {
				check(b.Operator, b.Left, one)
			}
		}
		c.word(b)
	})
	return err
}

// word makes a comparison with a field of several values one with each of them.
func (c *Condition) word(b *ast.BinaryNode) {
	if _, swapped := b.Right.(*ast.IdentifierNode); swapped && b.Operator == "==" {
		b.Left, b.Right = b.Right, b.Left
	}
	name, ok := b.Left.(*ast.IdentifierNode)
	if !ok || !c.fields[name.Value].words || b.Operator != "==" && b.Operator != "in" {
		return
	}
	list := []ast.Node{b.Right}
	if array, ok := b.Right.(*ast.ArrayNode); ok {
		list = array.Nodes
	}
	var words []string
	for _, one := range list {
		if text, ok := one.(*ast.StringNode); ok {
			words = append(words, regexp.QuoteMeta(text.Value))
		}
	}
	if len(words) == len(list) && len(list) > 0 {
		b.Operator, b.Right = "matches", &ast.StringNode{Value: "(^| )(" + strings.Join(words, "|") + ")( |$)"}
	}
}

// holds judges a condition. values holds the values of its names.
func (c *Condition) holds(machine *expression.Machine, values []any) (bool, error) {
	env := make(map[string]any, len(values))
	for i, name := range c.is.Names {
		if values[i] == nil {
			return false, nil
		}
		env[name] = values[i]
	}
	x, err := c.is.Value(machine, env)
	if err != nil {
		return false, &conditionError{err}
	}
	return x == true, nil
}

// conditionError reports a condition that cannot be judged, for example because of an index out of range.
type conditionError struct{ error }

func (e *conditionError) Unwrap() error { return e.error }
