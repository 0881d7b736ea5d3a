package trace

import (
	"cmp"
	"slices"
)

// Quantity is the changes of a quantity that begins with 0.
type Quantity []change

type change struct{ at, by float64 }

// Step is a time for which a quantity has a value.
type Step struct{ Begin, End, Value float64 }

// Add adds to the quantity for the time of a trace in which a message is under way.
func (q *Quantity) Add(s *Stats, m *Message, by float64) {
	at := func(t float64) float64 { return max(s.Begin, min(t, s.Begin+s.Span)) }
	*q = append(*q, change{at(m.Sent), by}, change{at(max(m.Sent, m.Received)), -by})
}

// Steps are the times for which the quantity is above 0, and its most.
func (q Quantity) Steps() (above []Step, most float64) {
	slices.SortStableFunc(q, func(a, b change) int { // a message that leaves makes room for another of that time
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by))
	})
	value, at := 0.0, 0.0
	for _, c := range q {
		if value > 0 && c.at > at {
			above = append(above, Step{at, c.at, value})
		}
		value, at = value+c.by, c.at
		most = max(most, value)
	}
	return above, most
}
