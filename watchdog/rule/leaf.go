package rule

// Reading of names and functions of conditions, as closures.

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// runLeaves read a run.
type runLeaves struct{ words *vocabulary }

// Path reads a variable, or the last value of a name.
func (l runLeaves) Path(words []string, n ast.Node) (v language.Value[*run]) {
	if len(words) > 1 || isList(words[0]) {
		return v
	}
	if x, ok := variables[words[0]]; ok {
		return x
	}
	slot := l.words.slot(words[0])
	v.Number = func(r *run) float64 { return r.slots[slot].last }
	return v
}

// Call reads a value's history.
func (l runLeaves) Call(n *ast.CallNode, arguments []language.Value[*run]) (v language.Value[*run]) {
	name := language.Callee(n)
	switch name {
	case "fired":
		return l.fired(n)
	case "flag":
		return flagOf(arguments)
	case "imbalance":
		a, b := l.argument(n, 0), l.argument(n, 1)
		v.Number = func(r *run) float64 { return imbalance(r.lastOf(a), r.lastOf(b)) }
		return v
	}
	slot, over := l.argument(n, 0), span{}
	if i := functions[name].window; i > 0 && i < len(n.Arguments) {
		over, _ = spanOf(n.Arguments[i])
	}
	if of := functions[name].of; of != nil {
		v.Number = func(r *run) float64 { return of(r.slots[slot].series, over) }
		return v
	}
	switch name {
	case "absent":
		v.Truth = func(r *run) bool { return r.absent(slot, over) }
	case "quantile":
		p := arguments[2].Number
		if p == nil {
			return v
		}
		v.Number = func(r *run) float64 { return r.slots[slot].series.quantile(over, p(r)) }
	case "value":
		v.Number = func(r *run) float64 { return r.lastOf(slot) }
	case "steady":
		tolerance := arguments[2].Number
		if tolerance == nil {
			return v
		}
		v.Truth = func(r *run) bool { return r.slots[slot].series.steady(over, tolerance(r)) }
	}
	return v
}

// argument returns the slot of the value that an argument names.
func (l runLeaves) argument(n *ast.CallNode, i int) int {
	s, _ := n.Arguments[i].(*ast.StringNode)
	return l.words.slot(s.Value)
}

func (l runLeaves) fired(n *ast.CallNode) (v language.Value[*run]) {
	s, ok := n.Arguments[0].(*ast.StringNode)
	if !ok {
		return v
	}
	rule := l.words.rules[s.Value]
	v.Truth = func(r *run) bool { return r.state[rule].fired }
	return v
}

func flagOf[E any](arguments []language.Value[E]) (v language.Value[E]) {
	x := arguments[0]
	if x.Any == nil && x.Number == nil && x.Truth == nil {
		return v
	}
	v.Truth = func(env E) bool { return flag(x.Of(env)) }
	return v
}

// results are the values of a result by name: of an engine's, or of a component's under "component".
type results map[string]any

// resultLeaves read a result.
type resultLeaves struct{}

// Path reads a value by its path.
func (resultLeaves) Path(words []string, n ast.Node) (v language.Value[results]) {
	switch n.Type().Kind() {
	case reflect.Float64:
		v.Number = read[float64](words)
	case reflect.Bool:
		v.Truth = read[bool](words)
	case reflect.String:
		v.Text = read[string](words)
	case reflect.Interface:
		v.Any = func(env results) any {
			x, _, _ := walk(env, words)
			return x
		}
	}
	return v
}

// Call reads flag(x), the only function of results.
func (resultLeaves) Call(n *ast.CallNode, arguments []language.Value[results]) (v language.Value[results]) {
	if language.Callee(n) == "flag" {
		return flagOf(arguments)
	}
	return v
}

// typeError is a value of another type than the shape of the result promises.
type typeError struct {
	words []string
	value any
	want  string
}

func (e *typeError) Error() string {
	return fmt.Sprintf("%s is %v, which is no %s", strings.Join(e.words, "."), e.value, e.want)
}

func read[T any](words []string) func(results) T {
	return func(env results) T {
		x, _, _ := walk(env, words)
		y, ok := x.(T)
		if !ok {
			panic(&typeError{words, x, fmt.Sprintf("%T", y)})
		}
		return y
	}
}

// all returns the names of a run for the machine of expr, which evaluates conditions without a closure.
func (r *run) all() map[string]any {
	env := map[string]any{"flag": flag, "fired": func(rule string) bool { return r.hasFired(rule) }}
	for name, v := range variables {
		env[name] = v.Of(r)
	}
	for name, slot := range r.set.slots {
		switch v := r.slots[slot]; {
		case hides(name) || !v.has:
		case isList(name):
			env[name] = v.list
		default:
			env[name] = v.last
		}
	}
	at := func(name string) *series { return r.slots[r.set.slots[name]].series }
	value := func(name string) float64 { return r.lastOf(r.set.slots[name]) }
	maps.Copy(env, map[string]any{
		"steady":   func(x string, w span, tol float64) bool { return at(x).steady(w, tol) },
		"quantile": func(x string, w span, p float64) float64 { return at(x).quantile(w, p) },
		"absent": func(x string, w ...span) bool {
			return r.absent(r.set.slots[x], append(w, span{})[0])
		},
		"imbalance": func(a, b string) float64 { return imbalance(value(a), value(b)) },
		"value":     value,
	})
	for name, f := range functions {
		switch {
		case f.of == nil:
		case f.window > 0:
			env[name] = func(x string, w span) float64 { return f.of(at(x), w) }
		default:
			env[name] = func(x string) float64 { return f.of(at(x), span{}) }
		}
	}
	return env
}

// matched are the facts for which a condition on a study holds.
type matched struct {
	match *fact.Match // facts of the names of each, and counts
	it    fact.Fact   // the fact that a count looks at, or the only fact
}

// factValue is a compiled expression over facts.
type factValue = language.Value[*matched]

// factLeaves read facts. only is the name of the scope's only fact; empty: all names are of the match.
type factLeaves struct {
	ranges
	inside *kind
	only   string
	folds  map[string]factValue // by the names that stand for counts
}

// Path implements language.Leaves.
func (l factLeaves) Path(words []string, n ast.Node) (v factValue) {
	if len(words) == 1 {
		return l.folds[words[0]]
	}
	k, read := l.of(words[0]), l.reader(words[0])
	if words[0] == it {
		k = l.inside
	}
	if k == nil {
		return v
	}
	i, err := k.find(words[1:])
	if err != nil {
		return v
	}
	switch k.columns[i].typ {
	case fact.Number:
		v.Number = func(s *matched) float64 { return read(s).Number(i) }
	case fact.Text:
		v.Text = func(s *matched) string { return read(s).Text(i) }
	case fact.Bool:
		v.Truth = func(s *matched) bool { return read(s).Bool(i) }
	}
	return v
}

// reader returns how the fact of a name is read.
func (l factLeaves) reader(name string) func(*matched) fact.Fact {
	if name == it || name == l.only {
		return func(s *matched) fact.Fact { return s.it }
	}
	if i := l.index(name); i >= 0 {
		return func(s *matched) fact.Fact { return s.match.Fact(i) }
	}
	return nil
}

// Call implements language.Leaves: at(a.x, n) reads the history of a run.
func (l factLeaves) Call(n *ast.CallNode, arguments []factValue) (v factValue) {
	m, ok := n.Arguments[0].(*ast.MemberNode)
	if language.Callee(n) != atName || !ok || arguments[1].Number == nil {
		return v
	}
	path := expression.Path(m)
	read, iteration := l.reader(path[0]), arguments[1].Number
	v.Number = func(s *matched) float64 {
		return read(s).Owner().(historian).past(read(s), path[1]).at(iteration(s))
	}
	return v
}

// compile compiles a checked tree.
func (l factLeaves) compile(n ast.Node) (factValue, error) {
	v, ok := language.Compile(n, language.Leaves[*matched](l))
	if !ok {
		return v, fmt.Errorf("%s is not for rules on a study", n)
	}
	return v, nil
}
