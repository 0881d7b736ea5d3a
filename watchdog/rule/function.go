package rule

// The functions of a run's history, and names that conditions give a meaning.

import (
	"strings"

	"github.com/expr-lang/expr/types"
)

// function is a function of a run's history.
type function struct {
	names    int        // number of first arguments that are names of values
	optional bool       // it accepts missing values
	history  bool       // it looks at more than the last value
	window   int        // index of the argument that is a span; 0: none
	log      bool       // of logarithms
	level    bool       // it uses the first or the least logarithm
	typ      types.Type // of the closure that computes it
	// result for a value's history, over a span where the function has one; nil: no such function
	of func(s *series, w span) float64
}

var (
	ofName   = types.TypeOf((func(string) float64)(nil))
	ofWindow = types.TypeOf((func(string, span) float64)(nil))
)

// functions by name. The comments are the list of the help page on rules.
var functions = map[string]function{
	// drop(x): orders of magnitude from the largest of the first five values to the last
	"drop": {names: 1, history: true, level: true, typ: ofName, of: (*series).drop},
	// rise(x): orders of magnitude from the least value so far to the last
	"rise": {names: 1, history: true, level: true, typ: ofName, of: (*series).rise},
	// trend(x, n): orders of magnitude per iteration, or per s: slope of the straight line through log10 of abs(x)
	"trend": {names: 1, history: true, window: 1, log: true, typ: ofWindow, of: (*series).trend},
	// wobble(x, n): orders of magnitude, peak to peak, about that line
	"wobble": {names: 1, history: true, window: 1, log: true, typ: ofWindow, of: (*series).wobble},
	// crossings(x, n): how often log10 of abs(x) crosses that line
	"crossings": {names: 1, history: true, window: 1, log: true, typ: ofWindow, of: (*series).crossings},
	// steady(x, n, t): whether x stays within t of its mean, as a fraction of it
	"steady": {names: 1, history: true, window: 1, typ: types.TypeOf((func(string, span, float64) bool)(nil))},
	// rate(x, n): change per iteration, or per s: slope of the straight line through x
	"rate": {names: 1, history: true, window: 1, typ: ofWindow, of: (*series).rate},
	// quantile(x, n, p): value over the last n iterations that the fraction p of the values is below
	"quantile": {names: 1, history: true, window: 1, typ: types.TypeOf((func(string, span, float64) float64)(nil))},
	// median(x, n): quantile(x, n, 0.5)
	"median": {names: 1, history: true, window: 1, typ: ofWindow, of: (*series).median},
	// mean(x, n): mean over the last n iterations
	"mean": {names: 1, history: true, window: 1, typ: ofWindow, of: (*series).mean},
	// least(x, n): least value over the last n iterations
	"least": {names: 1, history: true, window: 1, typ: ofWindow, of: (*series).lowest},
	// most(x, n): largest value over the last n iterations
	"most": {names: 1, history: true, window: 1, typ: ofWindow, of: (*series).highest},
	// nonfinite(x): iterations in a row, up to now, in which x was not finite
	"nonfinite": {names: 1, optional: true, history: true, typ: ofName, of: (*series).nonfinite},
	// imbalance(a, b): abs(a - b) / max(abs(a), abs(b)) of the last values
	"imbalance": {names: 2, typ: types.TypeOf((func(string, string) float64)(nil))},
	// absent(x), absent(x, n): whether the run iterates without a value x, or has had none in the last n iterations
	"absent": {names: 1, optional: true, history: true, window: 1,
		typ: types.TypeOf((func(string, ...span) bool)(nil))},
	// value("x[1]"): last value of a name that is no word
	"value": {names: 1, typ: ofName},
	// fired("r"): whether rule r has fired for this run
	"fired": {optional: true, typ: types.TypeOf((func(string) bool)(nil))},
	// flag(x): whether x is true, or a number other than 0; of components and cases, too
	"flag": {optional: true, typ: types.TypeOf(flag)},
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

// listPrefix begins the names of profiles: profile_Vx is the list Vx that a solver or file reports.
const listPrefix = "profile_"

func isList(name string) bool { return strings.HasPrefix(name, listPrefix) }

// isFunction reports whether a name is that of a function of a run's history.
func isFunction(name string) bool {
	_, ok := functions[name]
	return ok
}
