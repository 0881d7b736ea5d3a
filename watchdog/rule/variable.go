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

// texts are those that variables may have; others have any.
var texts = map[string][]string{"state": language.States, "status": language.Classes}

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
