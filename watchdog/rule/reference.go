package rule

// References of a condition, found in its tree before its types are checked. So the error for a wrong name can suggest
// the right one, and a rule is judged only when a value to which it refers has changed.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
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
	over, err := windowOf(n, f.window)
	switch x := over.n; {
	case err != nil:
		w.fail("%w", err)
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

// windowOf returns the span that an argument of a function is.
func windowOf(n *ast.CallNode, argument int) (over span, err error) {
	over, ok := spanOf(n.Arguments[argument])
	switch x := over.n; {
	case !ok:
		err = fmt.Errorf("%s: its window is not a constant number of iterations, or a time", n)
	case over.wall && !(x > 0):
		err = fmt.Errorf("%s: a window of %s s", unmarked(n), language.Show(x))
	case !over.wall && !(x >= minSamples):
		err = fmt.Errorf("%s: a window of %s iterations; it takes at least %d to say anything", n, language.Show(x),
			minSamples)
	case x > MaxWindow:
		err = fmt.Errorf("%s: a window of %s iterations; at most %d are remembered", n, language.Show(x), MaxWindow)
	}
	return over, err
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
var marked = regex.Lazy(expression.Seconds + `\(([^()]+)\)`)

// unmarked returns the text of a tree, with its times as users write them.
func unmarked(n ast.Node) string { return marked().ReplaceAllString(n.String(), "$1 s") }

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

// it is the name, in a tree, of the fact that a count looks at.
const it = "#"

// ranges are the facts that a rule on a study ranges over, by their names in its expressions.
type ranges struct {
	kinds    kinds
	each     []config.Each
	language *language.Language
}

// index returns the place of a name of each; -1 if unknown.
func (n ranges) index(name string) int {
	return slices.IndexFunc(n.each, func(e config.Each) bool { return e.Name == name })
}

// of returns the kind of a name of each; nil if unknown.
func (n ranges) of(name string) *kind {
	if i := n.index(name); i >= 0 {
		return n.kinds[n.each[i].Kind]
	}
	return nil
}

// reference is a field of a fact that an expression names.
type reference struct {
	of    string // name of each, or it
	at    int    // place of the name in each; -1 of it
	kind  *kind
	field int
}

func (r reference) String() string {
	of, name := strings.TrimPrefix(r.of, it)+".", r.kind.columns[r.field].String()
	if function, arguments, measured := strings.Cut(name, "("); measured {
		return function + "(" + of + arguments
	}
	return of + name
}

func (r reference) typ() fact.Type { return r.kind.columns[r.field].typ }

// isNumber reports whether a fact of each is to have a number.
func (r reference) isNumber() bool { return r.of != it && r.typ() == fact.Number }

// refer lists the references of an expression, each once. inside is the kind of the fact that a count looks at; nil
// outside of a count.
func (n ranges) refer(node ast.Node, inside *kind) (list []reference, err error) {
	var parts []ast.Node
	switch x := node.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
	case *ast.IdentifierNode:
		return nil, n.stray(x.Value)
	case *ast.PointerNode:
		return nil, fmt.Errorf("name a field of the fact, such as .name")
	case *ast.MemberNode:
		r, err := n.member(x, inside)
		return []reference{r}, err
	case *ast.UnaryNode:
		parts = []ast.Node{x.Node}
	case *ast.BinaryNode:
		parts = []ast.Node{x.Left, x.Right}
	case *ast.ConditionalNode:
		parts = []ast.Node{x.Cond, x.Exp1, x.Exp2}
	case *ast.ArrayNode:
		parts = x.Nodes
	case *ast.BuiltinNode:
		parts = x.Arguments
		if !slices.Contains(config.Folds, x.Name) {
			break
		}
		body, k, err := n.fold(x)
		switch {
		case err != nil:
			return nil, err
		case inside != nil:
			return nil, fmt.Errorf("%s is inside another count; let a rule assert the inner result", x.Name)
		}
		parts, inside = []ast.Node{body}, k
	case *ast.CallNode:
		switch {
		case language.Callee(x) == atName:
			if err := n.remember(x, inside); err != nil {
				return nil, err
			}
			parts = x.Arguments
		case statistics[language.Callee(x)] == nil:
			return nil, fmt.Errorf("there is no function %s for rules on a study", x.Callee)
		case inside != nil:
			return nil, fmt.Errorf("%s is inside another count; let a rule assert the inner result", x.Callee)
		default:
			of, err := n.survey(x)
			if err != nil {
				return nil, err
			}
			parts, inside = []ast.Node{of.number, of.where}, of.kind
		}
	default:
		return nil, fmt.Errorf("%s is not for rules on a study", node)
	}
	for _, x := range parts {
		more, err := n.refer(x, inside)
		if err != nil {
			return nil, err
		}
		for _, r := range more {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	return list, nil
}

// fold returns the condition of a count and the kind of its facts.
func (n ranges) fold(x *ast.BuiltinNode) (ast.Node, *kind, error) {
	id, ok := x.Arguments[0].(*ast.IdentifierNode)
	var k *kind
	if ok {
		k = n.kinds.of(id.Value)
	}
	if k == nil {
		return nil, nil, fmt.Errorf("%s(%s, ...): want a kind of facts, %s", x.Name, x.Arguments[0], n.kindNames())
	}
	if len(x.Arguments) < 2 {
		return nil, nil, fmt.Errorf("%s(%s): the condition is missing; %s(%s, true) takes all", x.Name, id.Value,
			x.Name, id.Value)
	}
	p, ok := x.Arguments[1].(*ast.PredicateNode)
	if !ok {
		return nil, nil, fmt.Errorf("%s: want a condition on each %s", x, k.name)
	}
	return p.Node, k, nil
}

// selection is the facts that a count looks at, or the numbers of facts that a function is of.
type selection struct {
	kind   *kind
	where  ast.Node // the condition on a fact
	number ast.Node // nil: the facts are counted
	make   func(sorted []float64) float64
}

// selection returns the facts of a count, or of a function of their numbers.
func (n ranges) selection(x ast.Node) (of selection, err error) {
	if call, ok := x.(*ast.CallNode); ok {
		return n.survey(call)
	}
	of.where, of.kind, err = n.fold(x.(*ast.BuiltinNode))
	return of, err
}

// survey returns the numbers of facts that a function is of: of median(map(runs, .x)) all, of median(map(filter(runs,
// .ended), .x)) only of facts for which a condition holds.
func (n ranges) survey(x *ast.CallNode) (of selection, err error) {
	name := language.Callee(x)
	want := fmt.Errorf("%s: want %s(map(runs, .x)), or a field of a run and how far to look back", x, name)
	if len(x.Arguments) == 0 {
		return of, want
	}
	list, ok := x.Arguments[0].(*ast.BuiltinNode)
	if !ok || list.Name != "map" || len(list.Arguments) != 2 {
		return of, want
	}
	facts := *list
	of.where = &ast.BoolNode{Value: true}
	if filter, ok := list.Arguments[0].(*ast.BuiltinNode); ok && filter.Name == "filter" {
		if of.where, _, err = n.fold(filter); err != nil {
			return of, err
		}
		facts.Arguments = []ast.Node{filter.Arguments[0], list.Arguments[1]}
	}
	if of.number, of.kind, err = n.fold(&facts); err != nil {
		return of, err
	}
	p := 0.0
	if name == "quantile" && len(x.Arguments) == 2 {
		if p, ok = language.Constant(x.Arguments[1]); !ok || !(p >= 0 && p <= 1) {
			return of, fmt.Errorf("%s: the fraction is not a constant from 0 to 1", x)
		}
	}
	of.make = func(sorted []float64) float64 { return statistics[name](sorted, p) }
	return of, nil
}

// kindNames lists the kinds for messages.
func (n ranges) kindNames() string {
	var list []string
	for name := range n.kinds {
		list = append(list, name+"s")
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// stray is the error for a name without a field.
func (n ranges) stray(name string) error {
	list := convert.All(n.each, func(e config.Each) string { return e.Name })
	switch {
	case n.of(name) != nil:
		return fmt.Errorf("%s is a fact: name a field of it, such as %s.name", name, name)
	case n.kinds.of(name) != nil:
		return fmt.Errorf("%s are facts: count(%s, ...), any, all or none judge them, and median(map(%s, .x)) and its "+
			"like are of their numbers", name, name, name)
	case len(list) == 0:
		return fmt.Errorf("there is no %s: a rule on a study names facts by each: {a: run}, or counts them", name)
	}
	return fmt.Errorf("there is no %s; each names %s", name, strings.Join(list, ", "))
}

// member is the field that a path such as a.given.N or .state names.
func (n ranges) member(x *ast.MemberNode, inside *kind) (r reference, err error) {
	root, path := unroll(x)
	switch root := root.(type) {
	case *ast.PointerNode:
		r.of, r.at, r.kind = it, -1, inside
	case *ast.IdentifierNode:
		if r.of, r.at, r.kind = root.Value, n.index(root.Value), n.of(root.Value); root.Value == it {
			r.kind = inside
		}
		if r.kind == nil {
			return r, n.stray(root.Value)
		}
	}
	if r.kind == nil || path == nil {
		return r, fmt.Errorf("%s is no field of a fact", x)
	}
	r.field, err = r.kind.find(path)
	return r, err
}

// unroll returns the root of a path and the other names; none if x is no path.
func unroll(x *ast.MemberNode) (root ast.Node, path []string) {
	for {
		word, ok := x.Property.(*ast.StringNode)
		if !ok || x.Optional || x.Method {
			return nil, nil
		}
		path = append(path, word.Value)
		of, inner := x.Node.(*ast.MemberNode)
		if !inner {
			slices.Reverse(path)
			return x.Node, path
		}
		x = of
	}
}

// measure puts fields in the places of functions of a history: of rate(a.x, 5 min) the field "rate(x, 300 s)" of a.
func (n ranges) measure(tree *ast.Node) (err error) {
	runs := n.kinds[config.Kind]
	ast.Walk(tree, expression.Visitor(func(node *ast.Node) {
		call, ok := (*node).(*ast.CallNode)
		if !ok || err != nil || len(call.Arguments) == 0 {
			return
		}
		m, isField := call.Arguments[0].(*ast.MemberNode)
		f, known := functions[language.Callee(call)]
		if !isField || !known || !f.history {
			return
		}
		root, path := unroll(m)
		var x measure
		if x, err = measureOf(call, f, path); err != nil {
			return
		}
		if !slices.ContainsFunc(runs.measures, func(y measure) bool { return y.text == x.text }) {
			runs.measures = append(runs.measures, x)
			h := runs.hear(x.value)
			h.keep.level = h.keep.level || f.level
			if f.window > 0 {
				h.keep.ask(window{x.value, x.over, f.log})
			}
		}
		at := call.Location()
		*node = &ast.MemberNode{Node: root, Property: &ast.StringNode{Value: x.text}}
		(*node).SetLocation(at)
	}))
	return err
}

// measureOf returns the measure that a call is, of the field of a path.
func measureOf(n *ast.CallNode, f function, path []string) (x measure, err error) {
	name := language.Callee(n)
	want := 1 + min(f.window, 1)
	x.of = f.of
	if name == "quantile" {
		want = 3
	}
	switch {
	case f.of == nil && name != "quantile":
		return x, fmt.Errorf("there is no function %s for rules on a study", name)
	case len(path) != 1 || fields[path[0]] != 0:
		return x, fmt.Errorf("%s: a run has a history of the values that it reports, such as .residual", unmarked(n))
	case len(n.Arguments) != want:
		return x, fmt.Errorf("%s has %d arguments", name, want)
	}
	x.value = path[0]
	text := []string{x.value}
	if f.window > 0 {
		if x.over, err = windowOf(n, f.window); err != nil {
			return x, err
		}
		over := language.Show(x.over.n)
		if x.over.wall {
			over += " s"
		}
		text = append(text, over)
	}
	if name == "quantile" {
		p, ok := language.Constant(n.Arguments[2])
		if !ok || !(p >= 0 && p <= 1) {
			return x, fmt.Errorf("%s: the fraction is not a constant from 0 to 1", unmarked(n))
		}
		x.of = func(s *series, over span) float64 { return s.quantile(over, p) }
		text = append(text, language.Show(p))
	}
	x.text = name + "(" + strings.Join(text, ", ") + ")"
	return x, nil
}

// remember has the history kept of the field in at(a.x, n).
func (n ranges) remember(x *ast.CallNode, inside *kind) error {
	if len(x.Arguments) != 2 {
		return fmt.Errorf("%s has 2 arguments: %s(a.x, iteration)", atName, atName)
	}
	m, ok := x.Arguments[0].(*ast.MemberNode)
	if !ok {
		return fmt.Errorf("%s: its first argument is a field of a run", x)
	}
	r, err := n.member(m, inside)
	switch {
	case err != nil:
		return err
	case !r.kind.open || r.kind.columns[r.field].part != "" || fields[r.kind.columns[r.field].name] != 0:
		return fmt.Errorf("%s: a run has a history of the values that it reports, such as .residual", x)
	}
	r.kind.hear(r.kind.columns[r.field].name).past = true
	return nil
}

// hasPast reports whether an expression names an earlier value.
func hasPast(x ast.Node) (has bool) {
	expression.Walk(x, func(node ast.Node) {
		n, ok := node.(*ast.CallNode)
		has = has || ok && language.Callee(n) == atName
	})
	return has
}
