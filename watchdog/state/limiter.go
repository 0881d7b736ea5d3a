package state

// Limiters that act on values of a flow.

import (
	"fmt"
	"slices"
	"strings"
)

// bound is the range of successive iterations, from one to another, in which a limiter has acted on a value.
type bound struct{ from, to int }

// limiters are the values on which a limiter has acted, by name.
type limiters map[string]*bound

// note records limiters that act, at an iteration: a warning has the smallest or largest value, under the names min_k
// or max_k.
func (l limiters) note(values map[string]float64, count int) {
	for name := range values {
		which, key, _ := strings.Cut(name, "_")
		if which != "min" && which != "max" || key == "" {
			continue
		}
		b := l[key]
		if b == nil && len(l) < mostBounds {
			b = &bound{from: count, to: count}
			l[key] = b
		}
		if b != nil {
			if count > b.to+1 {
				b.from = count
			}
			b.to = count
		}
	}
}

// mostBounds is how many values' limiters are kept in mind.
const mostBounds = 100

// held lists the limiters that have acted in each iteration of the judged part of the run.
func (l limiters) held(count int) (odd []string) {
	for name, b := range l {
		if count-b.to <= 1 && float64(b.to-b.from) >= max(shareJudged*float64(count), leastSamples) {
			odd = append(odd, fmt.Sprintf("a bound has acted on %s in each of the last %d iterations", name,
				b.to-b.from))
		}
	}
	slices.Sort(odd)
	return odd
}
