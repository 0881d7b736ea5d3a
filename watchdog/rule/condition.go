package rule

// A compiled condition or expression of a message. It consists of closures where all its parts have them. Else it is a
// program for the machine of expr, which is slower by an order of magnitude and supports the whole language.

import (
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/optimizer"
	"github.com/expr-lang/expr/vm"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// evaluator evaluates the parts of a rule over a run or a result.
type evaluator interface {
	lacks(c *condition) string // returns the name of a missing value of the condition; empty: none is missing
	evaluate(machine *vm.VM, c *condition) (any, error)
}

// condition is a compiled expression, with the names in it.
type condition struct {
	scope   scope
	pos     document.Pos // of a rule's condition in the file
	text    string
	refs    *references
	program *vm.Program // nil: it has a closure
	run     language.Value[*run]
	result  language.Value[results]
	slots   []int   // of a run's values that must exist
	shown   []shown // parts whose values are evidence
	silence bool    // the condition uses "silent", which changes without events

	// on a study
	match  factValue
	fields []reference // of facts; numbers among them must exist
	ranges
	fact   fact.Rule
	counts []count
	infers []inference

	// of the rule, if the condition holds
	message template
	to      []assignment // of the action's expressions
}

// assignment is the new value of an object.
type assignment struct {
	name  string
	value *condition
}

// shown is a part of a condition with its source.
type shown struct {
	text string
	*condition
}

// condition compiles the text of a condition.
func (v *vocabulary) condition(text string) (*condition, error) {
	c, err := v.compile(text, anyScope, expr.AsBool())
	if err != nil {
		return nil, err
	}
	for _, part := range c.refs.parts {
		if p, err := v.compile(part, c.scope); err == nil { // a part such as x of f(x) may be no expression
			c.shown = append(c.shown, shown{part, p})
		}
	}
	return c, nil
}

// compile compiles text with the names of a scope. If the scope is any, the names in the text decide the scope.
func (v *vocabulary) compile(text string, s scope, options ...expr.Option) (*condition, error) {
	tree, err := v.language.Parse(text, v.dimension, options...)
	if err != nil {
		return nil, err
	}
	c := &condition{scope: s, text: strings.Join(strings.Fields(text), " "), refs: refer(&tree.Node)}
	c.silence = slices.Contains(c.refs.names, "silent")
	if s == anyScope {
		if c.scope, err = v.scope(c.refs); err != nil {
			return nil, err
		}
	}
	if err := v.check(c.scope, c.refs); err != nil {
		return nil, err
	}
	if c.scope == runScope {
		if err := language.CheckTexts(tree.Node, func(path []string) []string { return texts[path[0]] }); err != nil {
			return nil, err
		}
	}
	ast.Walk(&tree.Node, quoteNames)
	ast.Walk(&tree.Node, expression.Times)
	if err := tree.Check(v.env(c.scope, c.refs)); err != nil {
		return nil, err
	}
	if v.close(c, tree.Node) {
		return c, nil
	}
	if err := optimizer.Optimize(&tree.Node, tree.Config); err != nil {
		return nil, expression.Located(err)
	}
	c.program, err = compiler.Compile(tree.Tree, tree.Config)
	return c, expression.Located(err)
}

// close gives a condition its closure; false if it has none.
func (v *vocabulary) close(c *condition, n ast.Node) (ok bool) {
	if c.scope == componentScope || c.scope == caseScope {
		c.result, ok = language.Compile(n, language.Leaves[results](resultLeaves{}))
		return ok
	}
	for _, name := range c.refs.names {
		v.judges = v.judges || name == "state" || name == "stood"
		if !isVariable(name) {
			c.slots = append(c.slots, v.slot(name))
		}
	}
	for _, name := range c.refs.series {
		v.slot(name)
	}
	for _, name := range c.refs.levels {
		v.named[v.slot(name)].keep.level = true
	}
	for _, w := range c.refs.windows {
		v.named[v.slot(w.name)].keep.ask(w)
	}
	c.run, ok = language.Compile(n, language.Leaves[*run](runLeaves{v}))
	return ok
}

// lacks implements evaluator.
func (r *run) lacks(c *condition) string {
	for _, slot := range c.slots {
		if !r.slots[slot].has {
			return r.set.named[slot].name
		}
	}
	return ""
}

// evaluate implements evaluator.
func (r *run) evaluate(machine *vm.VM, c *condition) (any, error) {
	if c.program != nil {
		x, err := machine.Run(c.program, r.all())
		return x, expression.Located(err)
	}
	return c.run.Of(r), nil
}

// lacks implements evaluator.
func (env results) lacks(c *condition) string {
	for _, p := range c.refs.paths {
		if x, missing, _ := walk(env, p); missing >= 0 || x == nil {
			return strings.Join(longest(p, c.refs.paths), ".")
		}
	}
	return ""
}

// longest returns the first path of maximum length that begins with p.
func longest(p []string, paths [][]string) []string {
	for _, q := range paths {
		if len(q) > len(p) && slices.Equal(p, q[:len(p)]) {
			return longest(q, paths)
		}
	}
	return p
}

// evaluate implements evaluator.
func (env results) evaluate(machine *vm.VM, c *condition) (x any, err error) {
	if c.program != nil {
		x, err := machine.Run(c.program, map[string]any(env))
		return x, expression.Located(err)
	}
	defer func() {
		if p := recover(); p != nil {
			wrong, ok := p.(*typeError)
			if !ok {
				panic(p)
			}
			err = wrong
		}
	}()
	return c.result.Of(env), nil
}

// template is a message with expressions in braces.
type template []fragment

// fragment is a text, or an expression that is replaced by its value.
type fragment struct {
	text  string
	value *condition // nil: text
}

// newTemplate compiles a message, with a function that compiles its expressions.
func newTemplate(message string, compile func(text string) (*condition, error)) (list template, err error) {
	parts, err := language.Fragments(message)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		f := fragment{text: part.Text}
		if part.Expression {
			if f.value, err = compile(part.Text); err != nil {
				return nil, err
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// render fills in the values; a missing value becomes a question mark.
func (t template) render(machine *vm.VM, env evaluator) string {
	var b strings.Builder
	for _, f := range t {
		switch {
		case f.value == nil:
			b.WriteString(f.text)
		case env.lacks(f.value) != "":
			b.WriteString("?")
		default:
			x, err := env.evaluate(machine, f.value)
			if err != nil {
				b.WriteString("?")
				continue
			}
			b.WriteString(language.Show(x))
		}
	}
	return b.String()
}

// lacks implements evaluator.
func (s *matched) lacks(c *condition) string {
	for _, r := range c.fields {
		if r.isNumber() && math.IsNaN(s.match.Fact(r.at).Number(r.field)) {
			return r.String()
		}
	}
	return ""
}

// evaluate implements evaluator.
func (s *matched) evaluate(_ *vm.VM, c *condition) (any, error) { return c.match.Of(s), nil }
