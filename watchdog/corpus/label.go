package corpus

import "slices"

// Label is the state in which a watched run ended.
type Label string

// The labels, in the order of the rules: the first that holds counts.
const (
	NonFinite        Label = "non_finite"
	Diverged         Label = "diverged"
	Unphysical       Label = "unphysical"
	Dead             Label = "dead"
	Hung             Label = "hung"
	Oscillating      Label = "oscillating"
	Stalled          Label = "stalled"
	Limit            Label = "limit"
	EndedEarly       Label = "ended_early"
	Slow             Label = "slow"
	ConvergedByValue Label = "converged_by_value"
	Converged        Label = "converged"

	// of runs in time
	BlowingUp    Label = "blowing_up"
	StepCollapse Label = "step_collapse"
	InnerStalled Label = "inner_stalled"
	Periodic     Label = "periodic"
	Settled      Label = "settled"
	Complete     Label = "complete"
)

// Labels lists them in their order.
var Labels = []Label{NonFinite, Diverged, Unphysical, Dead, Hung, Oscillating, Stalled, Limit, EndedEarly, Slow,
	ConvergedByValue, Converged, Complete, Periodic, Settled, BlowingUp, StepCollapse, InnerStalled}

// Usable reports whether the answer of such a run may be used.
func (l Label) Usable() bool {
	return slices.Contains([]Label{Converged, ConvergedByValue, Complete, Periodic, Settled}, l)
}
