package rule

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/peregrine-sim/peregrine/config"
)

// scope is the kind of object that a condition judges.
type scope int

const (
	anyScope scope = iota // the condition is constant
	runScope
	componentScope
	caseScope
)

func (s scope) String() string {
	return [...]string{"nothing", "a run", "a component", "a case"}[s]
}

// component is the name in conditions of the component that is judged.
const component = "component"

// condition is a compiled expression, with the names that it uses.
type condition struct {
	scope   scope
	program *vm.Program
	paths   [][]string // values that must exist
	shown   []shown    // parts whose values are evidence
	silence bool       // it uses "silent", which changes without events
}

// shown is a part of a condition with its source.
type shown struct {
	text    string
	program *vm.Program
}

// condition compiles the text of a condition.
func (v *vocabulary) condition(text string) (*condition, error) {
	refs, err := v.references(text)
	if err != nil {
		return nil, err
	}
	c := &condition{paths: refs.paths, silence: slices.Contains(refs.names, "silent")}
	if c.scope, err = v.scope(refs); err != nil {
		return nil, err
	}
	if err := v.check(c.scope, refs); err != nil {
		return nil, err
	}
	if c.program, err = v.compile(text, c.scope, expr.AsBool()); err != nil {
		return nil, err
	}
	for _, part := range refs.parts {
		if p, err := v.compile(part, c.scope); err == nil { // a part such as x of f(x) may be no expression
			c.shown = append(c.shown, shown{part, p})
		}
	}
	return c, nil
}

// compile compiles text with the names of a scope.
func (v *vocabulary) compile(text string, s scope, options ...expr.Option) (*vm.Program, error) {
	options = append(options, expr.Env(v.env(s)), expr.Patch(quoteNames{}), expr.DisableBuiltin("mean"))
	p, err := expr.Compile(text, options...)
	return p, trimExcerpt(err)
}

// trimExcerpt removes the excerpt that expr adds to its errors; messages show the whole text.
func trimExcerpt(err error) error {
	var fe *file.Error
	if errors.As(err, &fe) {
		return fmt.Errorf("%s, at column %d", fe.Message, fe.Column+1)
	}
	return err
}

// references are the names in an expression.
type references struct {
	names  []string   // first names of paths, without functions
	paths  [][]string // with their members
	parts  []string   // source texts of the parts to show as evidence
	locals []string   // let x = ...
	rules  []string   // of fired("x")
	window int        // longest, iterations
}

// references parses text.
func (v *vocabulary) references(text string) (*references, error) {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, trimExcerpt(err)
	}
	w := &walker{}
	ast.Walk(&tree.Node, w)
	refs := &w.refs
	refs.paths = slices.DeleteFunc(refs.paths, func(p []string) bool { return slices.Contains(refs.locals, p[0]) })
	for _, p := range refs.paths {
		if !slices.Contains(refs.names, p[0]) {
			refs.names = append(refs.names, p[0])
		}
	}
	for _, p := range w.leaves() {
		refs.parts = append(refs.parts, strings.Join(p, "."))
	}
	return refs, nil
}

// walker collects references.
type walker struct {
	refs  references
	calls []string // arguments of functions, which are shown with the call, not alone
}

// Visit implements ast.Visitor. It visits a node after its children.
func (w *walker) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if _, isFunction := functions[n.Value]; !isFunction {
			w.add([]string{n.Value})
		}
	case *ast.MemberNode:
		if p := config.DottedPath(n); p != nil {
			w.add(p)
		}
	case *ast.VariableDeclaratorNode:
		w.refs.locals = append(w.refs.locals, n.Name)
	case *ast.CallNode:
		w.call(n)
	}
}

func (w *walker) add(p []string) {
	if !slices.ContainsFunc(w.refs.paths, func(q []string) bool { return slices.Equal(p, q) }) {
		w.refs.paths = append(w.refs.paths, p)
	}
}

// call collects the values whose history a function uses.
func (w *walker) call(n *ast.CallNode) {
	f, ok := functions[callee(n)]
	if !ok {
		return
	}
	for i := range min(f.names, len(n.Arguments)) {
		if s, ok := n.Arguments[i].(*ast.StringNode); ok && !f.optional {
			w.add([]string{s.Value})
		}
		if id, ok := n.Arguments[i].(*ast.IdentifierNode); ok {
			w.calls = append(w.calls, id.Value)
			if f.optional { // the value may be missing
				w.refs.paths = slices.DeleteFunc(w.refs.paths, func(p []string) bool { return p[0] == id.Value })
			}
		}
	}
	for _, a := range n.Arguments[min(f.names, len(n.Arguments)):] {
		switch a := a.(type) {
		case *ast.IntegerNode:
			w.refs.window = max(w.refs.window, a.Value)
		case *ast.StringNode:
			w.refs.rules = append(w.refs.rules, a.Value)
		}
	}
	if text := n.String(); callee(n) != "fired" && !slices.Contains(w.refs.parts, text) {
		w.refs.parts = append(w.refs.parts, text)
	}
}

// leaves returns the paths to show: without prefixes of others and arguments of functions.
func (w *walker) leaves() [][]string {
	var out [][]string
	for _, p := range w.refs.paths {
		longer := func(q []string) bool { return len(q) > len(p) && slices.Equal(p, q[:len(p)]) }
		argument := len(p) == 1 && slices.Contains(w.calls, p[0])
		if !slices.ContainsFunc(w.refs.paths, longer) && !argument {
			out = append(out, p)
		}
	}
	return out
}

func callee(n *ast.CallNode) string {
	if id, ok := n.Callee.(*ast.IdentifierNode); ok {
		return id.Value
	}
	return ""
}

// quoteNames replaces drop(residual) by drop("residual"): functions of a value's history need
// its name, not its last value.
type quoteNames struct{}

// Visit implements ast.Visitor.
func (quoteNames) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	f := functions[callee(n)]
	for i := range min(f.names, len(n.Arguments)) {
		if id, ok := n.Arguments[i].(*ast.IdentifierNode); ok {
			n.Arguments[i] = &ast.StringNode{Value: id.Value}
		}
	}
}
