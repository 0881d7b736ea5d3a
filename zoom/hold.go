package zoom

// The run at the design point of a machine that is scaled there. The design's flow is what it must have, and which
// throttle gives that is not known before there are runs: by throttle the point is found in three or four. A solver
// that can hold a flow finds it in one. Where the machine has no such flow at the design speed, which is choked or
// stalled there, that is data: the point is sought by throttle, as without such a solver.

import (
	"context"
	"fmt"
	"maps"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// flowDigits are those to which a flow is rounded; see throttleStep.
const flowDigits = 7

// holding is a kind whose runs can hold the flow of the design.
type holding interface {
	// holdDesign is the run at the design's speed and flow.
	holdDesign(m *Machine) Wanted
}

// holdDesign implements holding.
func (compression) holdDesign(m *Machine) Wanted {
	w := numeric.Round(m.actual(m.Wc), flowDigits)
	held := Wanted{
		Name:   fmt.Sprintf("%s-n%07.3f-w%.7g", m.Name, 100.0, w),
		Inputs: map[string]float64{InSpeed: numeric.Round(m.Nc, 9), InExitFlow: w},
	}
	if m.Settable {
		held.Inputs[InSetting] = 0
	}
	return held
}

// held returns the run that holds the design's flow, if it can be made and was not yet.
func (r *Rounds) held() (Wanted, bool) {
	k, ok := r.Machine.kind().(holding)
	if !ok || !HoldsFlow(&r.Study.Description) {
		return Wanted{}, false
	}
	w := k.holdDesign(&r.Machine)
	return w, !r.requested[w.Name]
}

// heldAt is where a run found the design's flow; nil: none did. A run of an earlier study may have held that of
// another design.
func (r *Rounds) heldAt() *Point {
	k, ok := r.Machine.kind().(holding)
	if !ok {
		return nil
	}
	design := k.holdDesign(&r.Machine).Inputs
	for _, a := range r.answers {
		if maps.Equal(r.made[a.Key].wanted.Inputs, design) {
			p := pointAt(a.X)
			return &p
		}
	}
	return nil
}

// unheld makes the runs by throttle of those orders whose runs found no flow to hold, and sets their outcomes.
func (r *Rounds) unheld(ctx context.Context, orders []Order, outcomes []*run.Outcome) error {
	for i, o := range orders {
		if o.GoOn != "" || outcomes[i] == nil || !noDesign(outcomes[i]) {
			continue
		}
		outs, err := r.Make(ctx, []Order{{At: o.At}})
		if err != nil {
			return err
		}
		outcomes[i] = outs[0]
	}
	return nil
}

// noDesign reports whether a run found that the design's flow cannot be.
func noDesign(o *run.Outcome) bool {
	_, ok := o.Job.Request.Numbers[InExitFlow]
	return ok && noFlow(o)
}
