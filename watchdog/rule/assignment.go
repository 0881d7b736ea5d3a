package rule

// The new values that an action gives to settings, where they are expressions: cfl / 2.

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/expr-lang/expr"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// assignment is the new value of a setting.
type assignment struct {
	name  string
	value *condition
}

// assignments compiles the expressions of an action, in the order of their names.
func (v *vocabulary) assignments(of map[string]string) (list []assignment, err error) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		c, err := v.compile(of[name], runScope, expr.AsFloat64())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, assignment{name, c})
	}
	return list, nil
}

// values returns the new values of a rule's action.
func (m *Monitor) values(rule *rule, env evaluator) (map[string]float64, error) {
	if len(rule.to) == 0 {
		return rule.action.Values, nil
	}
	all := make(map[string]float64, len(rule.action.Values)+len(rule.to))
	maps.Copy(all, rule.action.Values)
	for _, a := range rule.to {
		if missing := env.lacks(a.value); missing != "" {
			return nil, fmt.Errorf("%s = %s: the run does not report %s", a.name, a.value.text, missing)
		}
		x, err := env.evaluate(&m.machine, a.value)
		if err != nil {
			return nil, fmt.Errorf("%s = %s: %w", a.name, a.value.text, err)
		}
		n, ok := x.(float64)
		if !ok {
			n = math.NaN()
		}
		if !numeric.Finite(n) {
			return nil, fmt.Errorf("%s = %s is %v, no finite number", a.name, a.value.text, x)
		}
		all[a.name] = n
	}
	return all, nil
}
