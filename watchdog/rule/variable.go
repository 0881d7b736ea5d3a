package rule

// The variables of a run, how conditions read them, and the inputs of conditions: a rule is judged when an input of it
// has changed.

import (
	"maps"
	"math"
	"slices"

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
