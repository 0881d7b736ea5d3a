package state

import (
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// State is the state of a run, during it or at its end.
type State string

// The states of a running run, and the states of its end.
const (
	Starting   State = "starting"   // too few iterations for a judgement
	Running    State = "running"    // it is running; its reports do not show whether it converges
	Converging State = "converging" // all residuals above their targets fall
	Diverging  State = "diverging"  // residuals or values run away

	Converged State = "converged" // every equation has reached its target
	// residuals stagnate above their targets, and monitored values are steady
	ConvergedByValue State = "converged_by_value"
	// residuals fall so slowly that the targets are more than ten times the iterations done away
	Slow        State = "slow"
	Stalled     State = "stalled"     // residuals stand above their targets
	Oscillating State = "oscillating" // residuals or values swing regularly, without a steady mean
	Diverged    State = "diverged"    // the solution ran away, or never approached a state
	NonFinite   State = "non_finite"  // NaN or infinite, or ended by a floating-point error
	Unphysical  State = "unphysical"  // at rest, with values that contradict physics
	Hung        State = "hung"        // it stopped writing, against its own rhythm, while its process lived
	Dead        State = "dead"        // its process ended by a signal, an error or an unknown cause
	EndedEarly  State = "ended_early" // it ended by itself before its limit, still converging
	Limit       State = "limit"       // it reached its limit of iterations or time, still converging

	Complete     State = "complete"      // in time: it reached its end time
	Periodic     State = "periodic"      // in time: values swing regularly about a settled mean
	Settled      State = "settled"       // in time: the flow became steady
	BlowingUp    State = "blowing_up"    // in time: Courant number, energy or balance of mass run away
	StepCollapse State = "step_collapse" // in time: its steps become shorter without end
	InnerStalled State = "inner_stalled" // in time: inner iterations miss their tolerance
)

// Order lists the final states. The first that holds is a run's.
var Order = []State{
	NonFinite, Diverged, BlowingUp, StepCollapse, Unphysical, Dead, Hung, InnerStalled, Oscillating, Stalled, Limit,
	EndedEarly, Slow, ConvergedByValue, Complete, Periodic, Settled, Converged,
}

// Names lists the states.
func Names() (list []string) {
	for s := range sentences {
		list = append(list, string(s))
	}
	slices.Sort(list)
	return list
}

// Sentence defines the state.
func (s State) Sentence() string { return sentences[s] }

var sentences = map[State]string{
	Starting:   "fewer than 20 iterations so far, or 10 reports of them",
	Running:    "it is under way, and its reports do not tell whether it converges",
	Converging: "residuals above their targets fall, or others still do",
	Diverging: "residuals grow far above their best and near to their start, stay there long after a start should " +
		"be over, or the balance of mass runs away, from its start on or later, or the time step",

	NonFinite: "NaN or an infinite number in a residual, or in a value, lasting or at the end; or a " +
		"floating-point error ended it",
	Diverged: "it was diverging at its end, or the solver gave up over numbers that no flow has",
	Unphysical: "it came to rest, or foreseeably will, with values that contradict physics; or it came to rest " +
		"held by a limiter that acted in each iteration of the last fifth; or nothing moved in a flow that was solved",
	Dead: "its process ended by a signal or an error of another cause, or its files break off without " +
		"the closing sentence that they have",
	Hung: "it stopped writing while its process lived: for 50 times its usual pace and at least a " +
		"minute, before its second iteration 10 minutes",
	Oscillating: "residuals or values swing regularly to the end, without a steady mean; the reasons give " +
		"period and amplitude",
	Stalled: "residuals stay above their targets, and no monitored value has settled; or an equation was not " +
		"iterated in 19 of 20 steps, though its residual is above 1e-4",
	Limit: "it reached its limit of iterations or time, or foreseeably will, with residuals still falling; a run in " +
		"time was cut short, or its files do not show that it was not",
	EndedEarly: "it ended by itself before its limit, with residuals still falling",
	Slow:       "residuals fall so slowly that reaching their targets takes more than ten times the iterations done",
	ConvergedByValue: "residuals stay above their targets or the run ended first, but all monitored values have " +
		"stood within 0.1 % to both sides, for the last fifth of the run and at least 50 iterations, or swing by at " +
		"most 1 % about a mean that does",
	Converged: "the solver says so, or every residual has reached its target: the solver's own where the " +
		"files have it, else the user's, else four orders below its start, or 1e-5 where it is normalised; for one " +
		"that stands there three orders, or 1e-4 where it is normalised",

	Complete: "a run in time reached its end time, with exit status 0 or its solver's closing sentence, and neither " +
		"settled nor became periodic; or a program that solves nothing, such as a mesher, ended with its closing " +
		"sentence",
	Periodic: "values of a run in time swing regularly, each about a mean that is known to 1 % of its size or its " +
		"amplitude; the reasons give period and mean with their errors",
	Settled: "a run in time became steady: its values do not move, as in converged_by_value, or every residual has " +
		"come down to its target and no value moves",
	BlowingUp: "the Courant number, an energy or the balance of mass of a run in time is ten times larger than it " +
		"ever was until ten steps ago, and grows fast; or its solver gave up over numbers that no flow has",
	StepCollapse: "the time step has fallen by three orders below its longest, or by two and falls on",
	InnerStalled: "the inner iterations of a run in time missed their tolerance in more than half of the " +
		"last 128 steps, or an equation was not iterated in 19 of 20, though its residual is above 1e-4",
}

// Usable reports whether the answer of a run that ended in this state can be used.
func (s State) Usable() bool {
	return slices.Contains([]State{Converged, ConvergedByValue, Complete, Periodic, Settled}, s)
}

// Final reports whether a run can end in this state.
func (s State) Final() bool { return slices.Contains(Order, s) }

// stands reports whether a run in this state does not come nearer to its targets.
func (s State) stands() bool { return s == Stalled || s == Oscillating }

// goesOn reports whether a run in this state may come nearer to them.
func (s State) goesOn() bool { return s == Converging || s == Running || s == Limit }

// lost reports whether the numbers of a run in this state are not finite, or run away.
func (s State) lost() bool { return s == NonFinite || s == Diverging || s == BlowingUp }

// Became is the final state that a state is a first sign of: of diverging, diverged.
func (s State) Became() State {
	if s == Diverging {
		return Diverged
	}
	return s
}

// Final states and the classes by which hosts, caches and policies know runs.

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
