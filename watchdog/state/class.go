package state

// How a host says that a run ended, as a state.

import "github.com/peregrine-sim/peregrine/watchdog/event"

// Ended is the final state of a run of which the host says that it ended in a class. All but a few mean that its
// process died; empty: no class.
func Ended(c event.Class) State {
	switch c {
	case "":
		return ""
	case event.Converged:
		return Converged
	case event.NotConverged:
		return Limit
	case event.Diverged:
		return Diverged
	case event.Unphysical:
		return Unphysical
	case event.Stalled:
		return Stalled
	case event.Hung:
		return Hung
	}
	return Dead
}
