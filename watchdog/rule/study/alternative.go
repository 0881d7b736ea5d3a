package study

// A condition of a rule, as a rule of the memory.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// alternative is a condition of a rule. The rule holds if any of its alternatives holds.
type alternative struct {
	names
	text   string
	fact   fact.Rule
	shown  []shown // with its values in findings
	counts []count

	// results of the rule if it holds
	message []fragment
	infers  []inference
	to      map[string]shown // new values that the action gives, where they are expressions, by object
}

// shown is an expression that is shown with its value.
type shown struct {
	text   string
	value  value
	refs   []reference // numbers that it needs
	counts int         // its number among the counts, from 1; 0: it is not a count
}

// count counts facts of a kind.
type count struct {
	text string
	kind *kind
	of   func(*scope) bool // reports whether the scope's fact is counted
}

// builder compiles a rule's expressions.
type builder struct {
	names
	lang *language.Language
}

// condition compiles a condition to a rule of the memory without an action.
func (b builder) condition(text string) (*alternative, error) {
	node, refs, err := b.parse(text, b.lang, expr.AsBool())
	if err != nil {
		return nil, err
	}
	a := &alternative{names: b.names, text: strings.Join(strings.Fields(text), " ")}
	for _, e := range b.each {
		a.fact.Patterns = append(a.fact.Patterns, fact.Pattern{Kind: e.Kind, Where: present(refs, e.Name)})
	}
	a.fact.Distinct = true
	var rest []ast.Node
	for _, x := range expression.Conjuncts(node) {
		if _, constant := x.(*ast.BoolNode); constant && x.(*ast.BoolNode).Value {
			continue
		}
		conjunctRefs, _ := b.refer(x, nil)
		if of := owners(conjunctRefs); !hasFold(x) && len(of) > 0 {
			if err := a.direct(x, of); err != nil {
				return nil, err
			}
			continue
		}
		rest = append(rest, x)
	}
	if err := a.general(rest); err != nil {
		return nil, err
	}
	for _, r := range refs {
		if r.of == it {
			continue
		}
		v, err := leaves{names: a.names}.compile(path(r))
		if err != nil {
			return nil, err
		}
		a.shown = append(a.shown, shown{text: r.String(), value: v, refs: []reference{r}})
	}
	for i, c := range a.counts {
		a.shown = append(
			a.shown,
			shown{
				text:   c.text,
				counts: i + 1,
				value:  value{Number: func(s *scope) float64 { return float64(s.match.Count(i)) }},
			},
		)
	}
	return a, nil
}

// path is the tree of a field.
func path(r reference) ast.Node {
	var n ast.Node = &ast.IdentifierNode{Value: r.of}
	for _, word := range strings.Split(r.kind.columns[r.field].String(), ".") {
		n = &ast.MemberNode{Node: n, Property: &ast.StringNode{Value: word}}
	}
	return n
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

// direct adds a condition without a count to the last of the patterns that it names.
func (a *alternative) direct(x ast.Node, of []string) error {
	last := 0
	for i, e := range a.each {
		if slices.Contains(of, e.Name) {
			last = i
		}
	}
	p := &a.fact.Patterns[last]
	if len(of) == 1 {
		if t, ok := a.test(x, nil); ok {
			p.Where = append(p.Where, t)
			return nil
		}
		v, err := leaves{names: a.names, only: of[0]}.compile(x)
		if err != nil {
			return err
		}
		before := p.If
		p.If = func(f fact.Fact) bool { return (before == nil || before(f)) && v.Truth(&scope{it: f}) }
		return nil
	}
	if j, ok := a.join(x, a.each[last].Name, nil); ok {
		p.Join = append(p.Join, j)
		return nil
	}
	v, err := leaves{names: a.names}.compile(x)
	if err != nil {
		return err
	}
	before := p.IfMatch
	p.IfMatch = func(m *fact.Match) bool { return (before == nil || before(m)) && v.Truth(&scope{match: m}) }
	return nil
}

// general compiles the conditions with counts to a single function of the counts.
func (a *alternative) general(list []ast.Node) error {
	var all []func(*scope) bool
	for _, x := range list {
		v, err := a.counted(&x)
		if err != nil {
			return err
		}
		if len(a.counts) == 0 {
			return fmt.Errorf("%s names no fact", x)
		}
		all = append(all, v.Truth)
	}
	switch {
	case len(all) > 0:
		a.fact.When = func(m *fact.Match) bool {
			s := scope{match: m}
			return !slices.ContainsFunc(all, func(holds func(*scope) bool) bool { return !holds(&s) })
		}
	case len(a.fact.Patterns) == 0:
		return fmt.Errorf("it names no fact: each: {a: run} names them, count(runs, ...) counts them")
	}
	return nil
}

// hasFold reports whether an expression has a count.
func hasFold(x ast.Node) (has bool) {
	expression.Walk(x, func(node ast.Node) {
		n, ok := node.(*ast.BuiltinNode)
		has = has || ok && slices.Contains(config.Folds, n.Name)
	})
	return has
}

// counted compiles an expression, whose counts it adds to the rule's. Names stand in the places of counts.
func (a *alternative) counted(x *ast.Node) (_ value, err error) {
	values := map[string]value{}
	ast.Walk(x, expression.Visitor(func(node *ast.Node) {
		n, ok := (*node).(*ast.BuiltinNode)
		if !ok || !slices.Contains(config.Folds, n.Name) || err != nil {
			return
		}
		var i int
		if i, err = a.fold(n); err != nil {
			return
		}
		var v value
		switch n.Name {
		case "count":
			v.Number = func(s *scope) float64 { return float64(s.match.Count(i)) }
		case "any":
			v.Truth = func(s *scope) bool { return s.match.Count(i) > 0 }
		default: // for all, the failing facts are counted
			v.Truth = func(s *scope) bool { return s.match.Count(i) == 0 }
		}
		id := &ast.IdentifierNode{Value: fmt.Sprintf("@%d", i)}
		values[id.Value] = v
		nature := *n.Nature()
		ast.Patch(node, id)
		(*node).SetNature(nature)
	}))
	if err != nil {
		return value{}, err
	}
	return leaves{names: a.names, folds: values}.compile(*x)
}

// fold adds a count to the rule, unless it exists already, and returns its number.
func (a *alternative) fold(n *ast.BuiltinNode) (int, error) {
	text := strings.ReplaceAll(n.String(), it+".", ".")
	if i := slices.IndexFunc(a.counts, func(c count) bool { return c.text == text }); i >= 0 {
		return i, nil
	}
	body, k, err := a.names.fold(n)
	if err != nil {
		return 0, err
	}
	refs, err := a.refer(body, k)
	if err != nil {
		return 0, err
	}
	g := fact.Count{Kind: k.name, Where: present(refs, it)}
	l := leaves{names: a.names, inside: k}
	whole, err := l.compile(body)
	if err != nil {
		return 0, err
	}
	holds := whole.Truth
	parts := expression.Conjuncts(body)
	if n.Name == "all" {
		holds, parts = func(s *scope) bool { return !whole.Truth(s) }, nil
		if of := owners(refs); len(of) == 1 && of[0] == it {
			g.If = func(f fact.Fact) bool { return holds(&scope{it: f}) }
		} else {
			g.IfMatch = func(m *fact.Match, f fact.Fact) bool { return holds(&scope{match: m, it: f}) }
		}
	}
	for _, x := range parts {
		if err := a.choose(&g, x, k); err != nil {
			return 0, err
		}
	}
	a.fact.Counts = append(a.fact.Counts, g)
	numbers := slices.DeleteFunc(
		slices.Clone(refs),
		func(r reference) bool { return r.of != it || r.typ() != fact.Number },
	)
	a.counts = append(a.counts, count{text: text, kind: k, of: func(s *scope) bool {
		return !slices.ContainsFunc(numbers, func(r reference) bool { return math.IsNaN(s.it.Number(r.field)) }) &&
			holds(s)
	}})
	return len(a.counts) - 1, nil
}

// choose adds a condition to the selection of a count.
func (a *alternative) choose(g *fact.Count, x ast.Node, k *kind) error {
	if c, ok := x.(*ast.BoolNode); ok && c.Value {
		return nil
	}
	if t, ok := a.test(x, k); ok && !a.outside(x, k) {
		g.Where = append(g.Where, t)
		return nil
	}
	if j, ok := a.join(x, it, k); ok {
		g.Join = append(g.Join, j)
		return nil
	}
	v, err := leaves{names: a.names, inside: k}.compile(x)
	if err != nil {
		return err
	}
	if !a.outside(x, k) {
		before := g.If
		g.If = func(f fact.Fact) bool { return (before == nil || before(f)) && v.Truth(&scope{it: f}) }
		return nil
	}
	before := g.IfMatch
	g.IfMatch = func(m *fact.Match, f fact.Fact) bool {
		return (before == nil || before(m, f)) && v.Truth(&scope{match: m, it: f})
	}
	return nil
}

// outside reports whether a condition within a count refers to facts other than the counted fact.
func (a *alternative) outside(x ast.Node, k *kind) bool {
	refs, _ := a.refer(x, k)
	return slices.ContainsFunc(refs, func(r reference) bool { return r.of != it })
}
