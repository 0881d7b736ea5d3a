package corpus

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
)

// Labels lists them in their order.
var Labels = []Label{NonFinite, Diverged, Unphysical, Dead, Hung, Oscillating, Stalled, Limit, EndedEarly, Slow,
	ConvergedByValue, Converged}

// Usable reports whether the answer of such a run may be used.
func (l Label) Usable() bool { return l == Converged || l == ConvergedByValue }
