package run

// Comparison of answers.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Difference describes the first difference of two answers to one request; empty: they are equal. Messages for people
// are not compared.
func Difference(a, b *plugin.Result) string {
	if a.Class != b.Class {
		return fmt.Sprintf("one is %s, the other %s", a.Class, b.Class)
	}
	for _, name := range names(a.Numbers) {
		x := a.Numbers[name]
		switch y, both := b.Numbers[name]; {
		case !both:
			return name + " is in one alone"
		case x != y:
			return fmt.Sprintf("%s is %v and %v", name, x, y)
		}
	}
	for _, name := range names(a.Arrays) {
		x := a.Arrays[name]
		y, both := b.Arrays[name]
		if !both {
			return name + " is in one alone"
		}
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				return fmt.Sprintf("%s[%d] is %v and %v", name, i, x[i], y[i])
			}
		}
		if len(x) != len(y) {
			return fmt.Sprintf("%s has %d and %d values", name, len(x), len(y))
		}
	}
	for _, name := range slices.Concat(names(b.Numbers), names(b.Arrays)) {
		_, number := a.Numbers[name]
		_, array := a.Arrays[name]
		if !number && !array {
			return name + " is in one alone"
		}
	}
	return ""
}

func names[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }
