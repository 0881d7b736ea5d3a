package language

// Functions of the user: a call is replaced by the body of the function, with the arguments in the places of their
// names. So an argument may be the name of a value, as of the functions that are built in: fell(x, n): drop(x) > n.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// maxNodes bounds the size of a condition with the functions that it uses: each may use others twice.
const maxNodes = 10_000

// macros are the user's functions by name.
type macros map[string]config.Function

// Language parses conditions: with units, and with functions in the places of their calls.
type Language struct{ macros macros }

// New returns the language with the user's functions; taken are the names that they cannot have. The error joins
// an [*Error] for each fault.
func New(functions []config.Function, taken func(name string) bool) (*Language, error) {
	m, err := newMacros(functions, taken)
	return &Language{m}, err
}

// Parse parses an expression. Its numbers with units are SI afterwards; own is the dimension of a path, and whether
// it is known, as far as it is not that of a quantity that results have everywhere; it may be nil.
func (l *Language) Parse(text string, cfg *conf.Config, own func(path []string) (unit.Dimension, bool)) (
	*parser.Tree, error) {
	if own == nil {
		own = func([]string) (unit.Dimension, bool) { return unit.None, false }
	}
	tree, err := parse(text, cfg, own)
	if err != nil {
		return nil, expression.Located(err)
	}
	x := &expander{macros: l.macros}
	ast.Walk(&tree.Node, x)
	return tree, x.err
}

// newMacros checks the user's functions. The error joins an [*Error] for each fault.
func newMacros(list []config.Function, taken func(name string) bool) (macros, error) {
	m := macros{}
	var errs []error
	fail := func(f config.Function, format string, args ...any) {
		errs = append(errs,
			&Error{Rule: f.Name, Function: true, Pos: f.Pos, Text: f.Body, Reason: fmt.Sprintf(format, args...)})
	}
	for _, f := range list {
		if _, isBuiltin := conf.CreateNew().Builtins[f.Name]; isBuiltin || taken(f.Name) {
			fail(f, "%s is a function already", f.Name)
		}
		m[f.Name] = f
	}
	for _, f := range list {
		if chain := m.circle(f.Name, nil); chain != nil {
			fail(f, "it refers to itself: %s", strings.Join(chain, " uses "))
		}
	}
	return m, errors.Join(errs...)
}

// circle returns how a function comes to use itself; nil if it does not.
func (m macros) circle(name string, above []string) []string {
	if len(above) > 0 && above[0] == name {
		return append(above, name)
	}
	for _, a := range above {
		if a == name {
			return nil // another one's circle
		}
	}
	for _, used := range m.uses(m[name].Body) {
		if chain := m.circle(used, append(above[:len(above):len(above)], name)); chain != nil {
			return chain
		}
	}
	return nil
}

// uses lists the user's functions that an expression calls.
func (m macros) uses(text string) []string {
	tree, err := parse(text, conf.CreateNew(), nil)
	if err != nil {
		return nil // reported where it is used, or by who read the file
	}
	var c calls
	ast.Walk(&tree.Node, &c)
	var list []string
	for _, name := range c {
		if _, ok := m[name]; ok {
			list = append(list, name)
		}
	}
	return list
}

// calls are the names of called functions.
type calls []string

func (c *calls) Visit(n *ast.Node) {
	if call, ok := (*n).(*ast.CallNode); ok {
		*c = append(*c, Callee(call))
	}
}

// parse parses an expression with units; see [expression.Parse].
func parse(text string, cfg *conf.Config, dimension func(path []string) (unit.Dimension, bool)) (*parser.Tree, error) {
	cfg.Disabled["mean"] = true // it is a function of a value's history
	delete(cfg.Builtins, "mean")
	return expression.Parse(text, cfg, dimension)
}

// expander replaces calls of the user's functions.
type expander struct {
	macros macros
	nodes  int
	err    error
}

// Visit implements ast.Visitor. It visits the arguments of a call before the call, and the bodies itself.
func (x *expander) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.CallNode)
	if !ok || x.err != nil {
		return
	}
	f, ok := x.macros[Callee(n)]
	if !ok {
		return
	}
	if len(n.Arguments) != len(f.Arguments) {
		x.err = fmt.Errorf("%s has %d arguments: %s(%s)", f.Name, len(f.Arguments), f.Name,
			strings.Join(f.Arguments, ", "))
		return
	}
	body, err := parse(f.Body, conf.CreateNew(), nil)
	if err != nil {
		x.err = fmt.Errorf("in the function %s: %w", f.Name, expression.Located(err))
		return
	}
	p := &placer{of: f.Arguments, by: n.Arguments, at: n}
	ast.Walk(&body.Node, p)
	if x.nodes += p.nodes; x.nodes > maxNodes {
		x.err = fmt.Errorf("with the functions that it uses it has more than %d parts", maxNodes)
		return
	}
	ast.Walk(&body.Node, x)
	*node = body.Node
}

// placer puts arguments in the places of their names, and all at the place of the call.
type placer struct {
	of    []string
	by    []ast.Node
	at    ast.Node
	nodes int
}

func (p *placer) Visit(node *ast.Node) {
	p.nodes++
	(*node).SetLocation(p.at.Location())
	if id, ok := (*node).(*ast.IdentifierNode); ok {
		for i, name := range p.of {
			if id.Value == name {
				*node = p.by[i]
			}
		}
	}
}

// Callee is the name of the function that is called.
func Callee(n *ast.CallNode) string {
	if id, ok := n.Callee.(*ast.IdentifierNode); ok {
		return id.Value
	}
	return ""
}
