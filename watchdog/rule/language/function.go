package language

// Functions of the user: a call is replaced by the body of the function, with the arguments in the places of their
// names. So an argument may be the name of a value, as of the functions that are built in: fell(x, n): drop(x) > n.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// maxNodes bounds the size of a condition with the functions in it: each may use others twice.
const maxNodes = 10_000

// Language parses conditions: with units, and with the user's functions in the places of their calls.
type Language struct{ functions map[string]config.Function }

// New returns the language with the user's functions; taken are the names that they cannot have. The error joins
// an [*Error] for each fault.
func New(list []config.Function, taken func(name string) bool) (*Language, error) {
	l := &Language{map[string]config.Function{}}
	var errs []error
	fail := func(f config.Function, format string, args ...any) {
		errs = append(errs,
			&Error{Rule: f.Name, Function: true, Pos: f.Pos, Text: f.Body, Reason: fmt.Sprintf(format, args...)})
	}
	for _, f := range list {
		if _, isBuiltin := conf.CreateNew().Builtins[f.Name]; isBuiltin || taken(f.Name) {
			fail(f, "%s is a function already", f.Name)
		}
		l.functions[f.Name] = f
	}
	for _, f := range list {
		if chain := l.circle(f.Name, nil); chain != nil {
			fail(f, "it refers to itself: %s", strings.Join(chain, " uses "))
		}
	}
	return l, errors.Join(errs...)
}

// circle returns how a function comes to use itself; nil if it does not.
func (l *Language) circle(name string, above []string) []string {
	switch slices.Index(above, name) {
	case -1:
	case 0:
		return append(above, name)
	default:
		return nil // the circle of another function
	}
	tree, err := parse(l.functions[name].Body, conf.CreateNew(), nil)
	if err != nil {
		return nil // reported where it is used, or by who read the file
	}
	var used []string
	expression.Walk(tree.Node, func(n ast.Node) {
		if call, ok := n.(*ast.CallNode); ok {
			used = append(used, Callee(call))
		}
	})
	for _, u := range used {
		if _, ok := l.functions[u]; !ok {
			continue
		}
		if chain := l.circle(u, append(above[:len(above):len(above)], name)); chain != nil {
			return chain
		}
	}
	return nil
}

// Parse parses an expression. It converts numbers with units to SI. The function own returns the dimension of a path
// that is not in the table of quantities, and whether it is known; it may be nil.
func (l *Language) Parse(text string, own func(path []string) (unit.Dimension, bool), options ...expr.Option) (
	*Tree, error) {
	cfg := conf.CreateNew()
	for _, option := range options {
		option(cfg)
	}
	if own == nil {
		own = func([]string) (unit.Dimension, bool) { return unit.None, false }
	}
	tree, err := parse(text, cfg, own)
	if err != nil {
		return nil, expression.Located(err)
	}
	nodes := 0
	return &Tree{tree, cfg}, l.expand(&tree.Node, &nodes)
}

// Tree is a parsed expression, with the configuration for its check and its compiler.
type Tree struct {
	*parser.Tree
	Config *conf.Config
}

// Check checks the types of an expression by the types of its names.
func (t *Tree) Check(names types.Map) error {
	t.Config.WithEnv(names)
	_, err := checker.Check(t.Tree, t.Config)
	return expression.Located(err)
}

// parse parses an expression with units; see [expression.Parse].
func parse(text string, cfg *conf.Config, dimension func(path []string) (unit.Dimension, bool)) (*parser.Tree, error) {
	for _, name := range []string{"mean", "median"} { // they are functions of a value's history
		cfg.Disabled[name] = true
		delete(cfg.Builtins, name)
	}
	return expression.Parse(text, cfg, dimension)
}

// expand replaces calls by the bodies of their functions, calls in the arguments of a call first. nodes counts the
// parts of the bodies.
func (l *Language) expand(tree *ast.Node, nodes *int) (err error) {
	ast.Walk(tree, expression.Visitor(func(node *ast.Node) {
		n, ok := (*node).(*ast.CallNode)
		if !ok || err != nil {
			return
		}
		f, ok := l.functions[Callee(n)]
		if !ok {
			return
		}
		if len(n.Arguments) != len(f.Arguments) {
			err = fmt.Errorf("%s has %d arguments: %s(%s)", f.Name, len(f.Arguments), f.Name,
				strings.Join(f.Arguments, ", "))
			return
		}
		body, fault := parse(f.Body, conf.CreateNew(), nil)
		if fault != nil {
			err = fmt.Errorf("in the function %s: %w", f.Name, expression.Located(fault))
			return
		}
		ast.Walk(&body.Node, expression.Visitor(func(part *ast.Node) {
			*nodes++
			(*part).SetLocation(n.Location()) // all is at the place of the call
			if id, ok := (*part).(*ast.IdentifierNode); ok {
				if i := slices.Index(f.Arguments, id.Value); i >= 0 {
					*part = n.Arguments[i]
				}
			}
		}))
		if *nodes > maxNodes {
			err = fmt.Errorf("with the functions that it uses it has more than %d parts", maxNodes)
			return
		}
		if err = l.expand(&body.Node, nodes); err == nil {
			*node = body.Node
		}
	}))
	return err
}

// Callee is the name of the function that is called.
func Callee(n *ast.CallNode) string {
	if id, ok := n.Callee.(*ast.IdentifierNode); ok {
		return id.Value
	}
	return ""
}

// Faults of rules, and suggestions for a wrong name.

// An Error reports a fault in a rule, or in a function that rules use.
type Error struct {
	Rule     string
	Function bool         // Rule is the name of a function
	Pos      document.Pos // in the engine file; zero for built-in rules
	Text     string       // condition or message at fault
	Reason   string
}

func (e *Error) Error() string {
	at := "built-in "
	if e.Pos != (document.Pos{}) {
		at = e.Pos.String() + ": "
	}
	what := "rule"
	if e.Function {
		what = "function"
	}
	return fmt.Sprintf("%s%s %s: %q: %s", at, what, e.Rule, e.Text, e.Reason)
}

// Fault returns an [*Error] of a rule. A zero position becomes the position of the rule.
func Fault(r *config.Rule, at document.Pos, text string, err error) error {
	if at == (document.Pos{}) {
		at = r.Pos
	}
	return &Error{Rule: r.Name, Pos: at, Text: text, Reason: err.Error()}
}

// Meant returns a question that suggests the nearest of some names; empty if none is near.
func Meant[V any](name string, names map[string]V) string {
	if near := spell.Nearest(name, slices.Values(slices.Sorted(maps.Keys(names)))); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// List renders names for a message, at most ten of them.
func List[V any](names map[string]V) string {
	sorted := slices.Sorted(maps.Keys(names))
	if len(sorted) > 10 {
		return strings.Join(sorted[:10], ", ") + " ..."
	}
	return strings.Join(sorted, ", ")
}
