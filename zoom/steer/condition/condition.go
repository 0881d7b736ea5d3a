// Package condition compiles the conditions of commands, such as "residual < 1e-3 and limits.k4[2] > 0", for a registry
// of package steer. The language is the one of package expression, restricted to numbers, without loops and growing
// values.
//
// A name is the name of an object, with the place inside it, or "iteration". Each is a number; true is 1.
package condition

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

const mostBytes = 1000 // of a condition

var grammar = expression.Grammar{
	Names:    func(string) (expression.Shape, error) { return expression.Number, nil },
	Builtins: []string{"abs", "ceil", "floor", "round", "max", "min"},
	Only: "has no place in a condition, which compares numbers and combines what comes of that; an index is a whole" +
		" number, as in limits.k4[2]",
	Late:   true,
	Result: expression.Truth,
	Most:   200,
}

// Compile returns the condition of a text.
func Compile(text string) (steer.Predicate, error) {
	if len(text) > mostBytes {
		return nil, fmt.Errorf("a condition of %d bytes; it may have %d", len(text), mostBytes)
	}
	e, err := grammar.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	var machine expression.Machine // for one goroutine at a time
	return func(get func(string) (float64, bool)) (bool, error) {
		holds, err := e.LateValue(&machine, func(name string) (float64, error) {
			if x, there := get(name); there {
				return x, nil
			}
			return 0, fmt.Errorf("there is no number %q", name)
		})
		if err != nil {
			return false, fmt.Errorf("condition %q: %w", text, err)
		}
		return holds == true, nil
	}, nil
}
