package rule

// The new values that an action gives to objects, where they are expressions: cfl / 2. A name in an expression is the
// object of that name: its value as given to the solver, with later changes by commands, even if the solver reports a
// value under the same name. If no such object exists, the name is the last value that the run reported.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr"
)

// assignments compiles the expressions of an action, in the order of their names. A run that judges its rules itself
// sets numbers alone.
func (v *vocabulary) assignments(of map[string]string, inSitu bool) (list []assignment, err error) {
	var options []expr.Option
	if inSitu {
		options = append(options, expr.AsFloat64())
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		c, err := v.compile(of[name], runScope, options...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, assignment{name, c})
	}
	return list, nil
}

// does returns the action of a rule with values instead of expressions.
func (m *Monitor) does(rule *rule, env evaluator) (Action, error) {
	a := rule.action
	if len(rule.to) == 0 {
		return a, nil
	}
	a = a.Constant()
	for _, to := range rule.to {
		x, err := m.valueOf(to.value, env)
		if err != nil {
			return Action{}, fmt.Errorf("%s = %s: %w", to.name, to.value.text, err)
		}
		if err := a.Give(to.name, x); err != nil {
			return Action{}, fmt.Errorf("%s = %s %w", to.name, to.value.text, err)
		}
	}
	return a, nil
}

// valueOf evaluates an expression, over the objects of a run first.
func (m *Monitor) valueOf(c *condition, env evaluator) (any, error) {
	if r, ok := env.(*run); ok {
		defer r.objectsFirst(c)()
	}
	if missing := env.lacks(c); missing != "" {
		return nil, fmt.Errorf("the run does not report %s", missing)
	}
	return env.evaluate(&m.machine, c)
}

// objectsFirst replaces the values of names in an expression by the objects of these names, until end is called.
func (r *run) objectsFirst(c *condition) (end func()) {
	var undo []func()
	for _, name := range slices.Concat(c.refs.names, c.refs.series) {
		slot, named := r.set.slots[name]
		if !named || r.slots[slot].object == nil {
			continue
		}
		v := r.slots[slot]
		last, has := v.last, v.has
		v.last, v.has = *v.object, true
		undo = append(undo, func() { v.last, v.has = last, has })
	}
	return func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
}
