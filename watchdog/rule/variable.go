package rule

// The variables of a run and the functions of its history, how conditions read them, and the inputs of conditions: a
// rule is judged when an input of it has changed.

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// variables of a run that always exist. The comments are the list of the help page on rules.
var variables = map[string]language.Value[*run]{
	// number of iterations reported
	"iterations": {Number: func(r *run) float64 { return r.facts.iterations }},
	// iteration limit, infinite if the run has none
	"limit": {Number: func(r *run) float64 { return r.facts.limit }},
	// s since the last sign of life, without the time for which the machine was suspended
	"silent": {Number: func(r *run) float64 { return r.facts.silent }},
	// s between two signs of life, on average
	"pace": {Number: func(r *run) float64 { return r.facts.pace }},
	// its state: `converging`, `stalled`, `diverging` and so on, as `peregrine watch` calls it
	"state": {Text: func(r *run) string { return string(r.judgement.state) }},
	// iterations in this state
	"stood": {Number: func(r *run) float64 { return r.judgement.stood }},
	// whether the run ended
	"ended": {Truth: func(r *run) bool { return r.facts.ended }},
	// how it ended: its class
	"status": {Text: func(r *run) string { return r.facts.status }},
	// whether the result has a value that is not finite
	"bad_result": {Truth: func(r *run) bool { return r.facts.badResult }},
	// iterations in a row, up to now, in which some value was not finite
	"non_finite": {Number: func(r *run) float64 { return r.facts.nonFinite }},
	// names of these values
	"non_finite_names": {Text: func(r *run) string { return r.facts.names }},
}

// variableType is the type of a variable; nil: the name is that of none.
func variableType(name string) types.Type {
	switch v := variables[name]; {
	case v.Number != nil:
		return types.Float64
	case v.Text != nil:
		return types.String
	case v.Truth != nil:
		return types.Bool
	}
	return nil
}

// isVariable reports whether a name is that of a variable.
func isVariable(name string) bool { return variableType(name) != nil }

// texts are the possible texts of variables; other variables have any text.
var texts = map[string][]string{"state": language.States, "status": language.Classes}

// variableInputs are the numbers of the variables among the inputs of conditions: the first ones. The values that rules
// name follow, then the rules.
var variableInputs = func() map[string]int {
	inputs := map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(variables)) {
		inputs[name] = i
	}
	return inputs
}()

// Inputs that change with each iteration.
var (
	iterationsInput = variableInputs["iterations"]
	paceInput       = variableInputs["pace"]
	silentInput     = variableInputs["silent"]
)

// bits is a set of small numbers.
type bits []uint64

// set adds a number; a number below 0 is ignored.
func (b bits) set(i int) {
	if i >= 0 {
		b[i/64] |= 1 << (i % 64)
	}
}

func (b bits) fill() {
	for i := range b {
		b[i] = math.MaxUint64
	}
}

// meets reports whether two sets of the same size have a number in common.
func (b bits) meets(c bits) bool {
	for i, x := range b {
		if x&c[i] != 0 {
			return true
		}
	}
	return false
}

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
