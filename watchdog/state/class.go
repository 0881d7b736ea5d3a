package state

// Final states and the classes by which hosts, caches and policies know runs.

import (
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

type classed struct {
	state State
	class event.Class
}

// classes has the class of each final state. The first state of a class is that of a run whose host reports the class.
var classes = []classed{
	{Converged, event.Converged}, {ConvergedByValue, event.Converged},
	{Limit, event.NotConverged}, {Slow, event.NotConverged}, {EndedEarly, event.NotConverged},
	{Stalled, event.Stalled}, {Oscillating, event.Stalled},
	{Diverged, event.Diverged}, {NonFinite, event.Diverged},
	{Unphysical, event.Unphysical}, {Hung, event.Hung}, {Dead, event.Crashed},
}

// Class is the class of a run that ends in this state, or of which the state is a first sign of that; empty: it
// continues.
func (s State) Class() event.Class {
	if i := slices.IndexFunc(classes, func(c classed) bool { return c.state == s.Became() }); i >= 0 {
		return classes[i].class
	}
	return ""
}

// Ended is the final state of a run of which the host says that it ended in a class. All but a few mean that its
// process died; empty: no class.
func Ended(c event.Class) State {
	if c == "" {
		return ""
	}
	if i := slices.IndexFunc(classes, func(x classed) bool { return x.class == c }); i >= 0 {
		return classes[i].state
	}
	return Dead
}
