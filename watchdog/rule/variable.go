package rule

// The variables of a run, how conditions read them, and the inputs of conditions: a rule is judged when one of its
// inputs has changed.

import (
	"maps"
	"math"
	"slices"

	"github.com/expr-lang/expr/types"

	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// variables of a run that are always there. The comments are the list of the help page on rules.
var variables = map[string]types.Type{
	"iterations": types.Float64, // number of iterations reported
	"limit":      types.Float64, // iteration limit, infinite if the run has none
	"silent":     types.Float64, // s since the last sign of life
	"pace":       types.Float64, // s between two signs of life, on average
	// what it does: `converging`, `stalled`, `diverging` and so on, as `peregrine watch` calls it
	"state":            types.String,
	"stood":            types.Float64, // iterations for which it has done so
	"ended":            types.Bool,    // whether the run ended
	"status":           types.String,  // how it ended: its class
	"bad_result":       types.Bool,    // whether the result has a value that is not finite
	"non_finite":       types.Float64, // iterations in a row, up to now, in which some value was not finite
	"non_finite_names": types.String,  // names of those values
}

// variableValues read them.
var variableValues = map[string]language.Value[*run]{
	"iterations":       {Number: func(r *run) float64 { return r.facts.iterations }},
	"limit":            {Number: func(r *run) float64 { return r.facts.limit }},
	"silent":           {Number: func(r *run) float64 { return r.facts.silent }},
	"pace":             {Number: func(r *run) float64 { return r.facts.pace }},
	"state":            {Text: func(r *run) string { return string(r.judgement.state) }},
	"stood":            {Number: func(r *run) float64 { return r.judgement.stood }},
	"ended":            {Truth: func(r *run) bool { return r.facts.ended }},
	"status":           {Text: func(r *run) string { return r.facts.status }},
	"bad_result":       {Truth: func(r *run) bool { return r.facts.badResult }},
	"non_finite":       {Number: func(r *run) float64 { return r.facts.nonFinite }},
	"non_finite_names": {Text: func(r *run) string { return r.facts.names }},
}

// variableInputs are their numbers among the inputs of conditions: the first ones. Those of the values that rules name
// follow, then those of the rules.
var variableInputs = func() map[string]int {
	inputs := map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(variables)) {
		inputs[name] = i
	}
	return inputs
}()

// Those that change with each iteration.
var (
	iterationsInput = variableInputs["iterations"]
	paceInput       = variableInputs["pace"]
	silentInput     = variableInputs["silent"]
)

// touch notes that variables have changed.
func (r *run) touch(names ...string) {
	for _, name := range names {
		r.dirty.set(variableInputs[name])
	}
}

// bits is a set of small numbers.
type bits []uint64

// set adds a number; one below 0 is none.
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

// all are the names of a run for the machine of expr: what conditions without a closure are evaluated over.
func (r *run) all() map[string]any {
	env := map[string]any{"flag": flag, "fired": func(rule string) bool { return r.hasFired(rule) }}
	for name, v := range variableValues {
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
		"drop":      func(x string) float64 { return at(x).drop() },
		"rise":      func(x string) float64 { return at(x).rise() },
		"trend":     func(x string, n float64) float64 { return at(x).trend(n) },
		"wobble":    func(x string, n float64) float64 { size, _ := at(x).wobble(n); return size },
		"crossings": func(x string, n float64) float64 { _, count := at(x).wobble(n); return count },
		"steady":    func(x string, n, tol float64) bool { return at(x).steady(n, tol) },
		"mean":      func(x string, n float64) float64 { _, _, mean, _ := at(x).spread(n); return mean },
		"least":     func(x string, n float64) float64 { least, _, _, _ := at(x).spread(n); return least },
		"most":      func(x string, n float64) float64 { _, most, _, _ := at(x).spread(n); return most },
		"nonfinite": func(x string) float64 { return float64(at(x).gone) },
		"imbalance": func(a, b string) float64 { return imbalance(value(a), value(b)) },
		"value":     value,
	})
	return env
}
