package study

// Expressions over facts, compiled to closures.

import (
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// scope is the environment of an expression.
type scope struct {
	match *fact.Match // facts of the names of each, and counts
	it    fact.Fact   // the fact that a count looks at, or the only fact
}

// value is a compiled expression.
type value = language.Value[*scope]

// parse parses an expression and checks its types with the names that it may have. The counts in the tree are
// unchanged.
func (n names) parse(text string, lang *language.Language, options ...expr.Option) (ast.Node, []reference, error) {
	tree, err := lang.Parse(text, nil, options...)
	if err != nil {
		return nil, nil, err
	}
	ast.Walk(&tree.Node, expression.Times)
	refs, err := n.refer(tree.Node, nil)
	if err != nil {
		return nil, nil, err
	}
	env := types.Map{}
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
		return texts[path[1]]
	})
}

// pointer replaces the pointer of a count by a name, so that its fields are paths as all others.
var pointer = expression.Visitor(func(node *ast.Node) {
	if p, ok := (*node).(*ast.PointerNode); ok {
		id := &ast.IdentifierNode{Value: it}
		id.SetNature(*p.Nature())
		ast.Patch(node, id)
		(*node).SetNature(*p.Nature())
	}
})

// leaves read facts. only is the name of the scope's only fact; empty: all names are of the match.
type leaves struct {
	names  names
	inside *kind
	only   string
	folds  map[string]value // by the names that stand for counts
}

// Path implements language.Leaves.
func (l leaves) Path(words []string, n ast.Node) (v value) {
	if len(words) == 1 {
		return l.folds[words[0]]
	}
	k, read := l.names.of(words[0]), l.reader(words[0])
	if words[0] == it {
		k = l.inside
	}
	if k == nil {
		return v
	}
	i, err := k.field(words[1:])
	if err != nil {
		return v
	}
	switch k.columns[i].typ {
	case fact.Number:
		v.Number = func(s *scope) float64 { return read(s).Number(i) }
	case fact.Text:
		v.Text = func(s *scope) string { return read(s).Text(i) }
	case fact.Bool:
		v.Truth = func(s *scope) bool { return read(s).Bool(i) }
	}
	return v
}

// reader returns how the fact of a name is read.
func (l leaves) reader(name string) func(*scope) fact.Fact {
	if name == it || name == l.only {
		return func(s *scope) fact.Fact { return s.it }
	}
	if i := l.names.index(name); i >= 0 {
		return func(s *scope) fact.Fact { return s.match.Fact(i) }
	}
	return nil
}

// Call implements language.Leaves: studies have no functions except the language's.
func (leaves) Call(*ast.CallNode, []value) (v value) { return v }

// compile compiles a checked tree.
func (l leaves) compile(n ast.Node) (value, error) {
	v, ok := language.Compile(n, language.Leaves[*scope](l))
	if !ok {
		return v, fmt.Errorf("%s is not for rules on a study", n)
	}
	return v, nil
}
