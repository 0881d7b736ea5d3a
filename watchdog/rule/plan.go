package rule

// Conditions of rules on a study as rules of the memory of facts. The memory looks up a comparison of one field or of
// two, so such parts of a condition are given to it as data. The rest becomes Go functions.

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// parse parses an expression and checks its types with the names that it may have. The counts in the tree are
// unchanged.
func (n ranges) parse(text string, options ...expr.Option) (ast.Node, []reference, error) {
	tree, err := n.language.Parse(text, nil, options...)
	if err != nil {
		return nil, nil, err
	}
	if err := n.measure(&tree.Node); err != nil {
		return nil, nil, err
	}
	ast.Walk(&tree.Node, expression.Times)
	refs, err := n.refer(tree.Node, nil)
	if err != nil {
		return nil, nil, err
	}
	env := types.Map{atName: types.TypeOf((func(float64, float64) float64)(nil))}
	for name := range statistics {
		env[name] = types.TypeOf((func([]any) float64)(nil))
	}
	env["quantile"] = types.TypeOf((func([]any, float64) float64)(nil))
	for name, k := range n.kinds {
		env[name], env[name+"s"] = types.Array(k.types()), types.Array(k.types())
	}
	for _, e := range n.each {
		env[e.Name] = n.kinds[e.Kind].types()
	}
	if err := tree.Check(env); err != nil {
		return nil, nil, err
	}
	ast.Walk(&tree.Node, pointer)
	return tree.Node, refs, language.CheckTexts(tree.Node, func(path []string) []string {
		for _, k := range n.kinds {
			if len(path) != 2 || !k.open && k.has(path[1]) { // fields that rules assert may have any text
				return nil
			}
		}
		return factTexts[path[1]]
	})
}

// pointer replaces the pointer of a count by a name, so that its fields are paths as all others.
var pointer = expression.Visitor(func(node *ast.Node) {
	if p, ok := (*node).(*ast.PointerNode); ok {
		replace(node, it, p)
	}
})

// replace puts a name in the place of a node.
func replace(node *ast.Node, name string, old ast.Node) {
	nature := *old.Nature()
	ast.Patch(node, &ast.IdentifierNode{Value: name})
	(*node).SetNature(nature)
}

// count counts facts of a kind, or makes a number of theirs.
type count struct {
	text   string
	kind   *kind
	of     func(*matched) bool     // reports whether the fact of the scope is counted
	number func(*matched) float64  // of that fact; nil: the facts are counted
	make   func([]float64) float64 // a number of the numbers of all, by their size
	alone  bool                    // number is of that fact alone
}

// value returns the count, or the number, as it is for a match. i is its place in the condition.
func (c *count) value(i int) func(*matched) float64 {
	if c.number == nil {
		return func(s *matched) float64 { return float64(s.match.Count(i)) }
	}
	return func(s *matched) float64 {
		all := func() float64 { return c.over(s.match, s.match.Selected(i)) }
		if c.alone {
			return s.match.Memo(i, all)
		}
		return all()
	}
}

// over makes a number of some facts.
func (c *count) over(of *fact.Match, facts iter.Seq[fact.Fact]) float64 {
	var list []float64
	for f := range facts {
		if x := c.number(&matched{match: of, it: f}); !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	slices.Sort(list)
	return c.make(list)
}

// inference is a fact that a rule asserts.
type inference struct {
	kind   *kind
	values []*condition // by column; nil: it is not given
}

// condition compiles a condition on a study to a rule of the memory without an action.
func (n ranges) condition(text string) (*condition, error) {
	node, refs, err := n.parse(text, expr.AsBool())
	if err != nil {
		return nil, err
	}
	c := &condition{scope: studyScope, ranges: n, text: strings.Join(strings.Fields(text), " ")}
	for _, e := range n.each {
		c.fact.Patterns = append(c.fact.Patterns, fact.Pattern{Kind: e.Kind, Where: present(refs, e.Name)})
	}
	c.fact.Distinct = true
	var rest []ast.Node
	for _, x := range expression.Conjuncts(node) {
		if constant, ok := x.(*ast.BoolNode); ok && constant.Value {
			continue
		}
		of, _ := n.refer(x, nil)
		if hasFold(x) || len(of) == 0 {
			rest = append(rest, x)
			continue
		}
		last := slices.MaxFunc(of, func(a, b reference) int { return a.at - b.at }).at
		if err := n.choose(&c.fact.Patterns[last], x, n.each[last].Name, nil); err != nil {
			return nil, err
		}
	}
	if err := c.general(rest); err != nil {
		return nil, err
	}
	for _, r := range refs {
		if r.of == it {
			continue
		}
		v, err := factLeaves{ranges: n}.compile(pathOf(r))
		if err != nil {
			return nil, err
		}
		c.shown = append(c.shown, shown{r.String(), &condition{match: v, fields: []reference{r}}})
	}
	for i, of := range c.counts {
		c.shown = append(c.shown, shown{of.text, &condition{match: factValue{Number: of.value(i)}}})
	}
	return c, nil
}

// expression compiles an expression that is evaluated when a condition holds. Its counts become counts of the
// condition.
func (c *condition) expression(text string) (*condition, error) {
	node, refs, err := c.parse(text)
	if err != nil {
		return nil, err
	}
	v, err := c.counted(&node)
	return &condition{scope: studyScope, text: text, match: v, fields: refs}, err
}

// pathOf is the tree of a field.
func pathOf(r reference) ast.Node {
	var n ast.Node = &ast.IdentifierNode{Value: r.of}
	c := r.kind.columns[r.field]
	if c.part != "" {
		n = &ast.MemberNode{Node: n, Property: &ast.StringNode{Value: c.part}}
	}
	return &ast.MemberNode{Node: n, Property: &ast.StringNode{Value: c.name}}
}

// present returns the conditions that a fact has the numbers to which a rule refers: missing numbers are NaN.
func present(refs []reference, of string) (tests []fact.Test) {
	for _, r := range refs {
		if r.of == of && r.typ() == fact.Number {
			tests = append(tests, fact.Is(r.field, fact.AtLeast, fact.Num(math.Inf(-1))))
		}
	}
	return tests
}

// choose adds a condition without a count to the selection of the facts of a name. inside is the kind of the facts that
// a count looks at; nil outside of a count.
func (n ranges) choose(s *fact.Pattern, x ast.Node, of string, inside *kind) error {
	if constant, ok := x.(*ast.BoolNode); ok && constant.Value {
		return nil
	}
	l := factLeaves{ranges: n, inside: inside}
	refs, _ := n.refer(x, inside)
	alone := !slices.ContainsFunc(refs, func(r reference) bool { return r.of != of })
	if t, ok := n.test(x, inside); ok && alone {
		s.Where = append(s.Where, t)
		return nil
	}
	if j, ok := n.join(x, of, inside); ok {
		s.Join = append(s.Join, j)
		return nil
	}
	if alone {
		l.only = of
	}
	v, err := l.compile(x)
	switch {
	case err != nil:
		return err
	case alone:
		before := s.If
		s.If = func(f fact.Fact) bool { return (before == nil || before(f)) && v.Truth(&matched{it: f}) }
	default:
		before := s.IfMatch
		s.IfMatch = func(m *fact.Match, f fact.Fact) bool {
			return (before == nil || before(m, f)) && v.Truth(&matched{match: m, it: f})
		}
	}
	return nil
}

// general compiles the conditions with counts to a single function of the counts.
func (c *condition) general(list []ast.Node) error {
	var all []func(*matched) bool
	for _, x := range list {
		v, err := c.counted(&x)
		if err != nil {
			return err
		}
		if len(c.counts) == 0 {
			return fmt.Errorf("%s names no fact", x)
		}
		all = append(all, v.Truth)
	}
	switch {
	case len(all) > 0:
		c.fact.When = func(m *fact.Match) bool {
			s := matched{match: m}
			return !slices.ContainsFunc(all, func(holds func(*matched) bool) bool { return !holds(&s) })
		}
	case len(c.fact.Patterns) == 0:
		return fmt.Errorf("it names no fact: each: {a: run} names them, count(runs, ...) counts them")
	}
	return nil
}

// foldOf returns the name of the count that a node is, or of the function of the numbers of all facts; empty: of none.
func foldOf(x ast.Node) string {
	switch n := x.(type) {
	case *ast.BuiltinNode:
		if slices.Contains(config.Folds, n.Name) {
			return n.Name
		}
	case *ast.CallNode:
		if name := language.Callee(n); statistics[name] != nil {
			return name
		}
	}
	return ""
}

// hasFold reports whether an expression has a count.
func hasFold(x ast.Node) (has bool) {
	expression.Walk(x, func(node ast.Node) { has = has || foldOf(node) != "" })
	return has
}

// counted compiles an expression, whose counts it adds to the condition's. Names stand in the places of counts.
func (c *condition) counted(x *ast.Node) (_ factValue, err error) {
	values := map[string]factValue{}
	ast.Walk(x, expression.Visitor(func(node *ast.Node) {
		fold := foldOf(*node)
		if fold == "" || err != nil {
			return
		}
		var i int
		if i, err = c.add(*node, fold); err != nil {
			return
		}
		var v factValue
		switch fold {
		case "any":
			v.Truth = func(s *matched) bool { return s.match.Any(i) }
		case "all", "none": // for all, the failing facts are counted
			v.Truth = func(s *matched) bool { return !s.match.Any(i) }
		default:
			v.Number = c.counts[i].value(i)
		}
		name := fmt.Sprintf("@%d", i)
		values[name] = v
		replace(node, name, *node)
	}))
	if err != nil {
		return factValue{}, err
	}
	return factLeaves{ranges: c.ranges, folds: values}.compile(*x)
}

// add adds a count to the condition, unless it exists already, and returns its number.
func (c *condition) add(n ast.Node, fold string) (int, error) {
	text := shownMember().ReplaceAllString(strings.ReplaceAll(n.String(), it, ""), "$2($1.$3)")
	if i := slices.IndexFunc(c.counts, func(o count) bool { return o.text == text }); i >= 0 {
		return i, nil
	}
	of, err := c.selection(n)
	if err != nil {
		return 0, err
	}
	body, k := of.where, of.kind
	refs, err := c.refer(body, k)
	if err != nil {
		return 0, err
	}
	if fold == "all" {
		body = &ast.UnaryNode{Operator: "not", Node: body}
	}
	leaves := factLeaves{ranges: c.ranges, inside: k}
	whole, err := leaves.compile(body)
	if err != nil {
		return 0, err
	}
	made := count{text: text, kind: k, make: of.make}
	if of.number != nil {
		more, err := c.refer(of.number, k)
		if err != nil {
			return 0, err
		}
		v, err := leaves.compile(of.number)
		if err != nil {
			return 0, err
		}
		if v.Number == nil {
			return 0, fmt.Errorf("%s: want a number of each %s", text, k.name)
		}
		refs, made.number = append(refs, more...), v.Number
		made.alone = !slices.ContainsFunc(more, func(r reference) bool { return r.of != it })
	}
	if hasPast(body) { // it may change without its fact
		return 0, fmt.Errorf("%s is for the number of a run in map(runs, ...), not for the choice of runs", atName)
	}
	s := fact.Pattern{Kind: k.name, Where: present(refs, it), Any: slices.Contains(config.Folds[1:], fold)}
	for _, x := range expression.Conjuncts(body) {
		if err := c.choose(&s, x, it, k); err != nil {
			return 0, err
		}
	}
	c.fact.Counts = append(c.fact.Counts, s)
	numbers := slices.DeleteFunc(refs, func(r reference) bool { return r.of != it || r.typ() != fact.Number })
	made.of = func(s *matched) bool {
		return !slices.ContainsFunc(numbers, func(r reference) bool { return math.IsNaN(s.it.Number(r.field)) }) &&
			whole.Truth(s)
	}
	c.counts = append(c.counts, made)
	return len(c.counts) - 1, nil
}

// shownMember is a function of a value's history in the text of a tree, where it is a field.
var shownMember = regex.Lazy(`(\w*)\["(\w+)\(([^"]*)\)"\]`)

var comparisons = map[string]fact.Op{
	"==": fact.Equal, "!=": fact.NotEqual, "<": fact.Less, "<=": fact.AtMost, ">": fact.Greater, ">=": fact.AtLeast,
}

// fieldOf returns the field that a node names; false for any other node.
func (n ranges) fieldOf(x ast.Node, inside *kind) (reference, bool) {
	m, ok := x.(*ast.MemberNode)
	if !ok {
		return reference{}, false
	}
	r, err := n.member(m, inside)
	return r, err == nil
}

// constant returns the value of a node without names.
func constant(x ast.Node) (fact.Value, bool) {
	switch x := x.(type) {
	case *ast.StringNode:
		return fact.Str(x.Value), true
	case *ast.BoolNode:
		return fact.Flag(x.Value), true
	}
	y, ok := language.Constant(x)
	return fact.Num(y), ok
}

// test returns a condition on one field of one fact as data.
func (n ranges) test(x ast.Node, inside *kind) (none fact.Test, ok bool) {
	not, negated := x.(*ast.UnaryNode)
	if negated = negated && (not.Operator == "not" || not.Operator == "!"); negated {
		x = not.Node
	}
	if r, ok := n.fieldOf(x, inside); ok && r.typ() == fact.Bool {
		return fact.Is(r.field, fact.Equal, fact.Flag(!negated)), true
	}
	b, ok := x.(*ast.BinaryNode)
	if !ok || negated {
		return none, false
	}
	near, far, op := b.Left, b.Right, comparisons[b.Operator]
	r, is := n.fieldOf(near, inside)
	if is && b.Operator == "in" {
		return n.in(r, far)
	}
	if !is {
		near, far, op = far, near, op.Flip()
		r, is = n.fieldOf(near, inside)
	}
	c, constant := constant(far)
	return fact.Is(r.field, op, c), is && op != 0 && constant && c.Type() == r.typ()
}

// in returns the membership of a field in a list of constants.
func (n ranges) in(r reference, list ast.Node) (t fact.Test, ok bool) {
	a, ok := list.(*ast.ArrayNode)
	if !ok {
		return t, false
	}
	var values []fact.Value
	for _, x := range a.Nodes {
		c, ok := constant(x)
		if !ok || c.Type() != r.typ() {
			return t, false
		}
		values = append(values, c)
	}
	return fact.Is(r.field, fact.In, values...), len(values) > 0
}

// join returns a comparison of two facts as data: a field of the fact of one name with a field of another's, to which a
// constant may be added.
func (n ranges) join(x ast.Node, of string, inside *kind) (j fact.Join, ok bool) {
	b, ok := x.(*ast.BinaryNode)
	if !ok {
		return j, false
	}
	op, ok := comparisons[b.Operator]
	if !ok {
		return j, false
	}
	near, far := b.Left, b.Right
	if r, is := n.fieldOf(near, inside); !is || r.of != of {
		near, far, op = far, near, op.Flip()
	}
	r, isNear := n.fieldOf(near, inside)
	other, plus, isFar := n.shifted(far, inside)
	if !isNear || !isFar || r.of != of || other.of == of || other.of == it || r.typ() != other.typ() ||
		plus != 0 && r.typ() != fact.Number {
		return j, false
	}
	if r.typ() == fact.Bool && op > fact.NotEqual {
		return j, false
	}
	return fact.Join{Field: r.field, Op: op, Of: other.at, Other: other.field, Plus: plus}, true
}

// shifted returns a field to which a constant may be added.
func (n ranges) shifted(x ast.Node, inside *kind) (r reference, plus float64, ok bool) {
	if r, ok := n.fieldOf(x, inside); ok {
		return r, 0, true
	}
	b, ok := x.(*ast.BinaryNode)
	if !ok || b.Operator != "+" && b.Operator != "-" {
		return r, 0, false
	}
	r, isField := n.fieldOf(b.Left, inside)
	c, isConstant := language.Constant(b.Right)
	if b.Operator == "-" {
		c = -c
	}
	return r, c, isField && isConstant
}
