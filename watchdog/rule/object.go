package rule

// What an event says of the objects of a run: the solver was given some, and commands have changed them since.

import (
	"encoding/json"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// objectsOf returns the numbers that objects have by what an event says.
func objectsOf(e *event.Event) map[string]float64 {
	if e.Kind == event.Asked {
		return e.Values
	}
	a := e.Act
	if a == nil || a.State != "applied" || a.Verb != "set" && a.Verb != "write" {
		return nil
	}
	numbers := map[string]float64{}
	for _, d := range a.Effects {
		var x float64
		if json.Unmarshal(d.New, &x) != nil {
			continue
		}
		numbers[d.Object] = x
		if d.Setting != "" {
			numbers[d.Setting] = x
		}
	}
	return numbers
}
