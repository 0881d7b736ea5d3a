// Package condition compiles the conditions of commands, such as "residual < 1e-3 and limits.k4[2] > 0", for a registry
// of package steer; see [expression.Condition].
package condition

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Compile returns the condition of a text.
func Compile(text string) (steer.Predicate, error) {
	e, err := expression.Condition(text)
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
