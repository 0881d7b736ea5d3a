package rule

// References of a condition, found in its tree before its types are checked. So the error for a wrong name can suggest
// the right one, and a rule is judged only when a value to which it refers has changed.

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// MaxWindow is the largest n, in iterations, of functions such as trend(x, n): a series of so many values takes a
// quarter of a gigabyte.
const MaxWindow = 1 << 24

// references are the names in an expression.
type references struct {
	names    []string   // first names of paths, without functions
	paths    [][]string // with their members
	parts    []string   // source texts of the parts to show as evidence
	locals   []string   // let x = ...
	rules    []string   // of fired("x")
	series   []string   // whose history is used, even if they are missing
	windows  []window   // of the values' histories
	levels   []string   // values of series whose first or least logarithm is used
	unknown  []string   // functions that do not exist
	quoted   []string   // names in value("x"), which may be any name
	absent   bool       // absent(x) is in it
	negative []string   // rules that must not have fired for the condition to hold
	fault    error
}

// refer collects the references of a tree.
func refer(tree *ast.Node) *references {
	w := newWalker()
	ast.Walk(tree, w)
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
	refs.negative = w.negated(*tree)
	return refs
}

// negated lists the rules whose firing may make the condition fail: fired("x") in any place other than directly under
// and and or.
func (w *walker) negated(n ast.Node) []string {
	if b, ok := n.(*ast.BinaryNode); ok && slices.Contains([]string{"and", "&&", "or", "||"}, b.Operator) {
		return append(w.negated(b.Left), w.negated(b.Right)...)
	}
	if c, ok := n.(*ast.CallNode); ok && language.Callee(c) == "fired" {
		return nil
	}
	inner := newWalker()
	ast.Walk(&n, inner)
	return inner.refs.rules
}

// walker collects references.
type walker struct {
	refs  references
	uses  map[string]int // of names as they are
	calls []string       // arguments of functions; they are shown only with the call
}

func newWalker() *walker { return &walker{uses: map[string]int{}} }

// Visit implements ast.Visitor. It visits a node after its children.
func (w *walker) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if !isFunction(n.Value) {
			w.uses[n.Value]++
			w.add([]string{n.Value})
		}
	case *ast.MemberNode:
		if p := expression.Path(n); p != nil {
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

// remove removes a use of a name whose value may be missing.
func (w *walker) remove(name string) {
	if w.uses[name]--; w.uses[name] > 0 {
		return
	}
	w.refs.paths = slices.DeleteFunc(w.refs.paths, func(p []string) bool { return len(p) == 1 && p[0] == name })
}

// call collects the values whose history a function uses.
func (w *walker) call(n *ast.CallNode) {
	name := language.Callee(n)
	f, ok := functions[name]
	if !ok {
		if name == expression.Seconds {
			w.remove(name)
		} else if name != "" {
			w.remove(name)
			w.refs.unknown = append(w.refs.unknown, name)
		}
		return
	}
	for i := range min(f.names, len(n.Arguments)) {
		w.named(n, f, i)
	}
	if name == "fired" {
		w.fired(n)
	}
	w.refs.absent = w.refs.absent || name == "absent"
	if f.window > 0 && f.window < len(n.Arguments) {
		w.window(n, f)
	}
	if text := unmarked(n); name != "fired" && !slices.Contains(w.refs.parts, text) {
		w.refs.parts = append(w.refs.parts, text)
	}
}

// named takes an argument that is the name of a value.
func (w *walker) named(n *ast.CallNode, f function, i int) {
	var name string
	switch a := n.Arguments[i].(type) {
	case *ast.StringNode:
		name = a.Value
		if language.Callee(n) == "value" {
			w.refs.quoted = append(w.refs.quoted, name)
		}
		if !f.optional {
			w.add([]string{name})
		}
	case *ast.IdentifierNode:
		name = a.Value
		w.calls = append(w.calls, name)
		if f.optional { // the value may be missing
			w.remove(name)
		}
	default:
		w.fail("%s: its argument %d is the name of a value, as it is or in quotes", n, i+1)
		return
	}
	if f.history {
		w.refs.series = append(w.refs.series, name)
	}
	if f.level {
		w.refs.levels = append(w.refs.levels, name)
	}
}

func (w *walker) fired(n *ast.CallNode) {
	if len(n.Arguments) != 1 {
		return // the types' check reports it
	}
	s, ok := n.Arguments[0].(*ast.StringNode)
	if !ok {
		w.fail("%s: put the name of the rule in quotes", n)
		return
	}
	w.refs.rules = append(w.refs.rules, s.Value)
}

// window takes the span that a function covers: a number of iterations, or a time. It replaces an expression such as
// 10*1000 by its value.
func (w *walker) window(n *ast.CallNode, f function) {
	over, ok := spanOf(n.Arguments[f.window])
	switch x := over.n; {
	case !ok:
		w.fail("%s: its window is not a constant number of iterations, or a time", n)
		return
	case over.wall && !(x > 0):
		w.fail("%s: a window of %s s", unmarked(n), language.Show(x))
		return
	case !over.wall && !(x >= minSamples):
		w.fail("%s: a window of %s iterations; it takes at least %d to say anything", n, language.Show(x), minSamples)
		return
	case x > MaxWindow:
		w.fail("%s: a window of %s iterations; at most %d are remembered", n, language.Show(x), MaxWindow)
		return
	case over.wall:
	case x == math.Trunc(x):
		ast.Patch(&n.Arguments[f.window], &ast.IntegerNode{Value: int(x)})
	default:
		ast.Patch(&n.Arguments[f.window], &ast.FloatNode{Value: x})
	}
	if f.optional { // it needs the last value alone
		return
	}
	for _, a := range n.Arguments[:f.names] {
		switch a := a.(type) {
		case *ast.StringNode:
			w.refs.windows = append(w.refs.windows, window{a.Value, over, f.log})
		case *ast.IdentifierNode:
			w.refs.windows = append(w.refs.windows, window{a.Value, over, f.log})
		}
	}
}

// spanOf returns the span that an argument is; false if it is none.
func spanOf(n ast.Node) (over span, ok bool) {
	switch x := n.(type) {
	case *ast.ConstantNode:
		over, ok = x.Value.(span)
		return over, ok
	case *ast.CallNode:
		if over.wall = language.Callee(x) == expression.Seconds && len(x.Arguments) == 1; over.wall {
			n = x.Arguments[0]
		}
	}
	over.n, ok = language.Constant(n)
	return over, ok
}

// marked is a time in the text of a tree.
var marked = regexp.MustCompile(expression.Seconds + `\(([^()]+)\)`)

// unmarked returns the text of a tree, with its times as users write them.
func unmarked(n ast.Node) string { return marked.ReplaceAllString(n.String(), "$1 s") }

func (w *walker) fail(format string, args ...any) {
	if w.refs.fault == nil {
		w.refs.fault = fmt.Errorf(format, args...)
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

// quoteNames replaces drop(residual) by drop("residual"): functions of a value's history need
// its name, not its last value, and a span.
var quoteNames = expression.Visitor(func(node *ast.Node) {
	n, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	f := functions[language.Callee(n)]
	for i := range min(f.names, len(n.Arguments)) {
		if id, ok := n.Arguments[i].(*ast.IdentifierNode); ok {
			n.Arguments[i] = &ast.StringNode{Value: id.Value}
		}
	}
	if f.window > 0 && f.window < len(n.Arguments) {
		if over, ok := spanOf(n.Arguments[f.window]); ok {
			n.Arguments[f.window] = &ast.ConstantNode{Value: over}
		}
	}
})
