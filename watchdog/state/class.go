package state

// Final states and the classes by which hosts, caches and policies know runs.

import "github.com/peregrine-sim/peregrine/watchdog/event"

// classes has the class of each final state.
var classes = map[State]event.Class{
	Converged: event.Converged, ConvergedByValue: event.Converged,
	Complete: event.Converged, Periodic: event.Converged, Settled: event.Converged,
	Limit: event.NotConverged, Slow: event.NotConverged, EndedEarly: event.NotConverged,
	InnerStalled: event.NotConverged, BlowingUp: event.Diverged, StepCollapse: event.Diverged,
	Stalled: event.Stalled, Oscillating: event.Stalled,
	Diverged: event.Diverged, NonFinite: event.Diverged,
	Unphysical: event.Unphysical, Hung: event.Hung, Dead: event.Crashed,
}

// Class returns the class of a run that ends in this state, or whose state is a first sign of that end; empty: it
// continues.
func (s State) Class() event.Class { return classes[s.Became()] }

// Ended returns the final state for the class that the host reports of an ended run: the state of the same name, if it
// exists. Class not_converged becomes Limit. All other classes mean that its process died; empty: no class.
func Ended(c event.Class) State {
	switch s := State(c); {
	case c == "" || s.Final():
		return s
	case c == event.NotConverged:
		return Limit
	}
	return Dead
}
