package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// function is a function of a run's history.
type function struct {
	names    int        // number of first arguments that are names of values
	optional bool       // it accepts missing values
	typ      types.Type // of the closure that each run has
}

// functions by name. The comments are the list of the help page on rules.
var functions = map[string]function{
	"drop":      {1, false, types.TypeOf((func(string) float64)(nil))},                // drop(x): orders of magnitude from the largest of the first five values to the last
	"rise":      {1, false, types.TypeOf((func(string) float64)(nil))},                // rise(x): orders of magnitude from the least value so far to the last
	"trend":     {1, false, types.TypeOf((func(string, float64) float64)(nil))},       // trend(x, n): orders of magnitude per iteration: slope of the straight line through log10 of abs(x)
	"wobble":    {1, false, types.TypeOf((func(string, float64) float64)(nil))},       // wobble(x, n): orders of magnitude, peak to peak, about that line
	"crossings": {1, false, types.TypeOf((func(string, float64) float64)(nil))},       // crossings(x, n): how often log10 of abs(x) crosses that line
	"steady":    {1, false, types.TypeOf((func(string, float64, float64) bool)(nil))}, // steady(x, n, t): whether x stays within t of its mean, as a fraction of it
	"mean":      {1, false, types.TypeOf((func(string, float64) float64)(nil))},       // mean(x, n): mean over the last n iterations
	"least":     {1, false, types.TypeOf((func(string, float64) float64)(nil))},       // least(x, n): least value over the last n iterations
	"most":      {1, false, types.TypeOf((func(string, float64) float64)(nil))},       // most(x, n): largest value over the last n iterations
	"nonfinite": {1, true, types.TypeOf((func(string) float64)(nil))},                 // nonfinite(x): iterations in a row, up to now, in which x was not finite
	"imbalance": {2, false, types.TypeOf((func(string, string) float64)(nil))},        // imbalance(a, b): abs(a - b) / max(abs(a), abs(b)) of the last values
	"value":     {1, false, types.TypeOf((func(string) float64)(nil))},                // value("x[1]"): last value of a name that is no word
	"fired":     {0, true, types.TypeOf((func(string) bool)(nil))},                    // fired("r"): whether rule r has fired for this run
	"flag":      {0, true, types.TypeOf(flag)},                                        // flag(x): whether x is true, or a number other than 0; of components and cases, too
}

// flag reads true, or a number that is not 0, as true: outputs of components
// are numbers, results in JSON may be either.
func flag(x any) bool {
	switch x := x.(type) {
	case bool:
		return x
	case float64:
		return x != 0
	}
	return false
}

// variables of a run that are always there. The comments are the list of the help page on rules.
var variables = map[string]types.Type{
	"iterations":       types.Float64, // number of iterations reported
	"limit":            types.Float64, // iteration limit, infinite if the run has none
	"silent":           types.Float64, // s since the last sign of life
	"pace":             types.Float64, // s between two signs of life, on average
	"ended":            types.Bool,    // whether the run ended
	"status":           types.String,  // how it ended: its class
	"bad_result":       types.Bool,    // whether the result has a value that is not finite
	"non_finite":       types.Float64, // iterations in a row, up to now, in which some value was not finite
	"non_finite_names": types.String,  // names of those values
}

// knownRunValues are values that a solver may report without describing them.
var knownRunValues = []string{"iteration", "residual", "W_in", "W_out", "PR", "eff", "mesh"}

// knownComponentValues are values of components that rules may use for any engine. The leaves
// are examples of their types; nil stands for any type.
var knownComponentValues = map[string]any{
	"type": "", "name": "", "run": "",
	"PR": 0.0, "eff": 0.0, "PR_core": 0.0, "eff_core": 0.0, "SMN": 0.0, "choked": nil,
	"Tt_in": 0.0, "Tt_out": 0.0, "Pt_in": 0.0, "Pt_out": 0.0, "W_in": 0.0, "W_out": 0.0,
	"MN_core": 0.0, "MN_bypass": 0.0, "Wf": 0.0, "cooling_margin": 0.0,
	"out": map[string]any{"MN": 0.0},
	"map": map[string]any{"extrapolated": nil},
}

// vocabulary holds all names that conditions may use.
type vocabulary struct {
	engine    map[string]any
	component map[string]any
	values    map[string]bool
	rules     map[string]bool
	envs      map[scope]types.Map
}

func newVocabulary(shape Shape, rules []source) *vocabulary {
	v := &vocabulary{
		engine: normalize(shape.Engine), component: map[string]any{},
		values: map[string]bool{}, rules: map[string]bool{},
	}
	for _, r := range rules {
		v.rules[r.Name] = true
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
	for name := range v.values {
		run[name] = types.Float64
	}
	maps.Copy(run, variables)
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

func (v *vocabulary) env(s scope) types.Map { return v.envs[s] }

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
		case v.isMember(refs, name):
			return 0, fmt.Errorf("there is no %s%s; the engine has %s", name, meant(name, v.engine), list(v.engine))
		}
		if found != anyScope && found != s {
			return 0, fmt.Errorf("it names values of %s and, by %s, of %s; use one in a condition", found, name, s)
		}
		found = s
	}
	if found == anyScope && len(refs.parts) > 0 { // functions without names, such as fired("converged")
		found = runScope
	}
	return found, nil
}

// isMember reports whether name stands with members, as in name.x.
func (v *vocabulary) isMember(refs *references, name string) bool {
	return slices.ContainsFunc(refs.paths, func(p []string) bool { return p[0] == name && len(p) > 1 })
}

// check returns an error for a name that can never exist.
func (v *vocabulary) check(s scope, refs *references) error {
	if refs.window > MaxWindow {
		return fmt.Errorf("a window of %d iterations; at most %d are remembered", refs.window, MaxWindow)
	}
	for _, name := range refs.rules {
		if !v.rules[name] {
			return fmt.Errorf("there is no rule %s%s; there are %s", name, meant(name, v.rules), list(v.rules))
		}
	}
	var known map[string]any
	switch s {
	case runScope:
		for _, name := range refs.names {
			if variables[name] == nil && !v.values[name] {
				return fmt.Errorf("there is no %s%s; a run has %s, and the solver's %s", name, cmp.Or(meant(name, variables), meant(name, v.values)), list(variables), list(v.values))
			}
		}
		return nil
	case componentScope:
		known = map[string]any{component: v.component}
	case caseScope:
		known = v.engine
	default:
		return nil
	}
	for _, p := range refs.paths {
		if _, missing, has := walk(known, p); missing >= 0 {
			return fmt.Errorf("%s has no %s%s; it has %s", strings.Join(p[:missing], "."), p[missing], meant(p[missing], has), list(has))
		}
	}
	return nil
}

// walk follows a path through maps. If a word is missing it returns its index and the map
// that lacks it.
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

// merge adds the names of one component to those of all. Values of different types become
// any.
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
