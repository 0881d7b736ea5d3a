package rule

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// scope is the kind of object that a condition judges.
type scope int

const (
	anyScope scope = iota // the condition is constant
	runScope
	componentScope
	caseScope
	studyScope
)

func (s scope) String() string {
	return [...]string{"nothing", "a run", "a component", "a case", "a study"}[s]
}

// component is the name in conditions of the component that is judged.
const component = "component"

// knownRunValues are values that a solver may report without describing them.
var knownRunValues = []string{"iteration", "residual", "W_in", "W_out", "PR", "eff", "mesh"}

// knownComponentValues are values of components that rules may use for any engine. The leaves are examples of their
// types; nil means any type.
var knownComponentValues = map[string]any{
	"type": "", "name": "", "run": "",
	"PR": 0.0, "eff": 0.0, "PR_core": 0.0, "eff_core": 0.0, "SMN": 0.0, "choked": nil,
	"Tt_in": 0.0, "Tt_out": 0.0, "Pt_in": 0.0, "Pt_out": 0.0, "W_in": 0.0, "W_out": 0.0,
	"MN_core": 0.0, "MN_bypass": 0.0, "Wf": 0.0, "cooling_margin": 0.0,
	"out": map[string]any{"MN": 0.0},
	"map": map[string]any{"extrapolated": nil},
}

// Shape lists the names that conditions may use.
type Shape struct {
	// Engine is a result as Monitor.Case takes it, with any values: maps by component, shaft and "performance", which
	// contain maps by port. A map with a text "type" is a component's.
	Engine map[string]any
	// Values are further names of values that solvers report.
	Values []string
	// Dimensions are the dimensions of paths, where they differ from the table of quantities.
	Dimensions map[string]unit.Dimension
	// Functions are the user's.
	Functions []config.Function
}

// vocabulary holds all names that conditions may use, and collects the names of runs that they use.
type vocabulary struct {
	engine    map[string]any
	component map[string]any
	values    map[string]bool
	rules     map[string]int // index in the files' order
	envs      map[scope]types.Map
	language  *language.Language

	dimensions map[string]unit.Dimension // of paths, besides the table of quantities

	judges bool           // some rule names the state of a run
	slots  map[string]int // of a run's values that some rule names
	named  []named        // by slot
}

func newVocabulary(shape Shape, rules []config.Rule) *vocabulary {
	v := &vocabulary{
		engine: normalize(shape.Engine), component: map[string]any{},
		values: map[string]bool{}, rules: map[string]int{}, slots: map[string]int{},
	}
	v.dimensions, v.language = shape.Dimensions, &language.Language{}
	for i, r := range rules {
		v.rules[r.Name] = i
	}
	merge(v.component, knownComponentValues)
	for _, c := range v.engine {
		if c, ok := c.(map[string]any); ok && c["type"] != nil {
			merge(v.component, c)
		}
	}
	for _, name := range slices.Concat(knownRunValues, shape.Values) {
		v.values[name] = true
	}
	run := types.Map{}
	for name := range variables {
		run[name] = variableType(name)
	}
	flags := types.Map{"flag": functions["flag"].typ}
	for name, f := range functions {
		run[name] = f.typ
	}
	components, cases := maps.Clone(flags), maps.Clone(flags)
	components[component] = typeOf(v.component)
	for name, x := range v.engine {
		cases[name] = typeOf(x)
	}
	v.envs = map[scope]types.Map{anyScope: flags, runScope: run, componentScope: components, caseScope: cases}
	return v
}

// env returns the types of the names of a scope; of a run only the names in an expression.
func (v *vocabulary) env(s scope, refs *references) types.Map {
	if s != runScope {
		return v.envs[s]
	}
	env := maps.Clone(v.envs[s])
	for _, name := range refs.names {
		switch {
		case isVariable(name):
		case isList(name):
			env[name] = types.TypeOf([]float64(nil))
		default:
			env[name] = types.Float64
		}
	}
	return env
}

// slot returns the number of a run's value.
func (v *vocabulary) slot(name string) int {
	i, ok := v.slots[name]
	if !ok {
		i = len(v.named)
		v.slots[name] = i
		v.named = append(v.named, named{name: name})
	}
	return i
}

// scope returns the scope of an expression.
func (v *vocabulary) scope(refs *references) (scope, error) {
	found := anyScope
	for _, name := range refs.names {
		s := runScope
		switch {
		case name == component:
			s = componentScope
		case v.engine[name] != nil:
			s = caseScope
		case v.isMember(refs, name) && len(v.engine) == 0:
			return 0, fmt.Errorf("there is no engine here, so no %s: a rule on results belongs into the engine file",
				name)
		case v.isMember(refs, name):
			return 0, fmt.Errorf(
				"there is no %s%s; the engine has %s",
				name,
				language.Meant(name, v.engine),
				language.List(v.engine),
			)
		}
		if found != anyScope && found != s {
			return 0, fmt.Errorf("it names values of %s and, by %s, of %s; use one in a condition", found, name, s)
		}
		found = s
	}
	// functions without values, such as fired("converged")
	if found == anyScope && len(refs.rules)+len(refs.series) > 0 {
		found = runScope
	}
	return found, nil
}

// isMember reports whether name has members, as in name.x.
func (v *vocabulary) isMember(refs *references, name string) bool {
	return slices.ContainsFunc(refs.paths, func(p []string) bool { return p[0] == name && len(p) > 1 })
}

// check returns an error for each name that can never exist.
func (v *vocabulary) check(s scope, refs *references) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, name := range refs.unknown {
		fail("there is no %s%s; functions are %s", name, language.Meant(name, functions),
			strings.Join(slices.Sorted(maps.Keys(functions)), ", "))
	}
	for _, name := range refs.rules {
		if _, ok := v.rules[name]; !ok {
			fail("there is no rule %s%s; there are %s", name, language.Meant(name, v.rules), language.List(v.rules))
		}
	}
	if refs.fault != nil {
		errs = append(errs, refs.fault)
	}
	var known map[string]any
	switch s {
	case runScope:
		errs = append(errs, v.checkRun(refs)...)
	case componentScope:
		known = map[string]any{component: v.component}
	case caseScope:
		known = v.engine
	}
	for _, p := range refs.paths {
		if _, missing, has := walk(known, p); missing >= 0 && known != nil {
			fail("%s has no %s%s; it has %s", strings.Join(p[:missing], "."), p[missing],
				language.Meant(p[missing], has), language.List(has))
		}
	}
	return errors.Join(errs...)
}

// checkRun checks the names of a run. A solver may report values that it does not describe, and a file any, so an
// unknown name counts as such a value, unless it is close to a known name.
func (v *vocabulary) checkRun(refs *references) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, name := range refs.names {
		if isVariable(name) || v.values[name] || slices.Contains(refs.quoted, name) || isList(name) {
			continue
		}
		near := nearer(name, slip(name, variables), slip(name, v.values))
		switch {
		case v.engine[name] != nil || v.isMember(refs, name):
			fail("there is no %s; a run has %s, and the solver's %s", name, language.List(variables),
				language.List(v.values))
		case near != "":
			fail("there is no %s, did you mean %s?; a run has %s, and the solver's %s; if the solver "+
				"reports %s, write value(%q)", name, near, language.List(variables), language.List(v.values), name,
				name)
		}
	}
	return errs
}

// nearer returns the candidate that is closer to a name; an empty one does not count.
func nearer(name, a, b string) string {
	if a != "" && b != "" && spell.Distance(name, b) < spell.Distance(name, a) {
		return b
	}
	return cmp.Or(a, b)
}

// slip returns the known name that a name misspells or abbreviates. Names of two or three letters are too close to each
// other for this check, and residual_p and residual2 are no misspellings of residual.
func slip[V any](name string, names map[string]V) string {
	for _, known := range slices.Sorted(maps.Keys(names)) {
		rest, longer := strings.CutPrefix(name, known)
		size := min(len(name), len(known))
		allowed := 1
		if size > 6 {
			allowed = 2
		}
		switch {
		case strings.EqualFold(name, known):
			return known
		case longer && (rest[0] == '_' || strings.Trim(rest, "0123456789") == ""):
		case size < 4:
		case strings.HasPrefix(known, name), spell.Distance(strings.ToLower(name), strings.ToLower(known)) <= allowed:
			return known
		}
	}
	return ""
}

// misspells reports whether a name is that of a value with a slip: in case, in a separator, or in a letter or two of
// words of four letters and more. residual_k, out2, forceZ and W_out are no slips in residual_p, out1, forceX and W_in.
func misspells(name, value string) bool {
	between := func(c rune) bool { return c == '_' || c == '.' }
	a, b := strings.FieldsFunc(name, between), strings.FieldsFunc(value, between)
	if name == value || min(len(name), len(value)) < 4 {
		return false
	}
	if strings.EqualFold(strings.Join(a, ""), strings.Join(b, "")) {
		return true
	}
	if numbered(name, value) || numbered(value, name) {
		return false
	}
	for i := 0; i < len(a) && len(a) == len(b); i++ {
		allowed := min(len(a[i]), len(b[i])) / 4
		numbers := strings.Trim(a[i], "0123456789") == strings.Trim(b[i], "0123456789")
		apart := spell.Distance(strings.ToLower(a[i]), strings.ToLower(b[i]))
		if a[i] != b[i] && (numbers || apart > min(allowed, 2)) {
			return false
		}
	}
	return len(a) == len(b)
}

// numbered reports whether two names differ by one letter or digit alone that begins or ends a word of the first, as
// places, components and numbers do: probeA and probeB, z-velocity and x-velocity, stage2 and stage2a.
func numbered(name, other string) bool {
	at := 0
	for at < min(len(name), len(other)) && name[at] == other[at] {
		at++
	}
	if at == len(name) || name[at+1:] != other[at:] && (at == len(other) || name[at+1:] != other[at+1:]) {
		return false
	}
	ends := func(i int) bool { // a word, before byte i
		if i == 0 || i == len(name) {
			return true
		}
		upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
		return strings.IndexByte("-_.", name[i]) >= 0 || strings.IndexByte("-_.", name[i-1]) >= 0 ||
			upper(name[i]) && !upper(name[i-1])
	}
	return ends(at) || ends(at+1)
}

// walk follows a path through maps. If a word is missing it returns its index and the map that lacks it.
func walk(m map[string]any, path []string) (x any, missing int, has map[string]any) {
	x = m
	for i, word := range path {
		inner, ok := x.(map[string]any)
		if !ok {
			return nil, i, nil
		}
		if x, ok = inner[word]; !ok {
			return nil, i, inner
		}
	}
	return x, -1, nil
}

// merge adds the names of a component to the names of all. Values of different types become any.
func merge(all, one map[string]any) {
	for name, x := range one {
		old, known := all[name]
		inner, isMap := x.(map[string]any)
		switch {
		case isMap:
			m, ok := old.(map[string]any)
			if !ok {
				m = map[string]any{}
			}
			m = maps.Clone(m)
			merge(m, inner)
			all[name] = m
		case !known:
			all[name] = x
		case fmt.Sprintf("%T", old) != fmt.Sprintf("%T", x):
			all[name] = nil
		}
	}
}

// typeOf returns the type of an example value.
func typeOf(x any) types.Type {
	switch x := x.(type) {
	case nil:
		return types.Any
	case map[string]any:
		m := types.Map{}
		for name, y := range x {
			m[name] = typeOf(y)
		}
		return m
	default:
		return types.TypeOf(x)
	}
}

// normalize copies a result: maps become map[string]any, numbers float64. Values that are not
// finite, and values of other types, are left out.
func normalize(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for name, x := range m {
		switch x := x.(type) {
		case map[string]any:
			out[name] = normalize(x)
		case map[string]float64:
			inner := make(map[string]any, len(x))
			for n, y := range x {
				if numeric.Finite(y) {
					inner[n] = y
				}
			}
			out[name] = inner
		case float64:
			if numeric.Finite(x) {
				out[name] = x
			}
		case int:
			out[name] = float64(x)
		case bool, string:
			out[name] = x
		}
	}
	return out
}

// dimension returns the dimension of a path, where it differs from the table of quantities.
func (v *vocabulary) dimension(path []string) (unit.Dimension, bool) {
	d, ok := v.dimensions[strings.Join(path, ".")]
	return d, ok
}
