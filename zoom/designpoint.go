package zoom

// The run at the design point of a machine that is scaled there. It must have the design's flow. The throttle for that
// flow is unknown before the runs: by throttle the point takes three or four runs, a solver that can hold a flow needs
// a single run. A machine that is choked or stalled at the design speed may not have that flow. This failure is data:
// the point is then sought by throttle, as without such a solver.

import (
	"maps"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// held returns the run that holds the design's flow, if it is possible and was not made yet.
func (l *ledger) held() (machine.Wanted, bool) {
	w, ok := l.Machine.HoldDesign()
	return w, ok && machine.HoldsFlow(&l.Study.Description) && !l.requested(w.Name)
}

// heldAt returns the point at which a run found the design's flow; nil: none did. A run of an earlier study may have
// held the flow of another design.
func (l *ledger) heldAt() *machine.RunPoint {
	design, ok := l.Machine.HoldDesign()
	e := l.find(func(e *entry) bool { return ok && e.counts() && maps.Equal(e.Inputs, design.Inputs) })
	if e == nil {
		return nil
	}
	p := machine.PointAt(e.answer.X)
	return &p
}

// noDesign reports whether a run found that the design's flow cannot be.
func noDesign(o *run.Outcome) bool {
	_, ok := o.Job.Request.Numbers[machine.InExitFlow]
	return ok && noFlow(o)
}
