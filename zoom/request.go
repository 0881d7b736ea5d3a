package zoom

// Planned runs, and the form in which a checkpoint stores the runs of a zoom.

import (
	"maps"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// Planned is a run that a plan has chosen.
type Planned struct {
	At   machine.RunPoint
	Hold bool   // At is the design point: the run holds its flow, if the solver can
	GoOn string // the answer whose run is to settle further; empty: a new run at At

	Exactly *machine.Wanted // the exact run, instead of the run expected to find At; nil: the expected run
}

// Recalled is an answer of an earlier study that this study has taken.
type Recalled struct {
	study.Earlier
	Counts bool // it is part of the model; otherwise a counted run starts from it
}

// Requests names the runs of a zoom, so that a checkpoint can store them and another zoom of the same machine can
// repeat them.
type Requests struct {
	Throttles map[int][]int    // by speed line, both as grid indices
	Kept      []int            // speed lines that the map is made of; nil: all
	Wanted    []machine.Wanted // of runs in rounds
	Priors    []Requests       `json:",omitempty"` // of the runs of cheaper solvers
	Earlier   []Recalled       // answers of earlier studies that count beside them
}

// The run at the design point of a machine that is scaled there. It must have the design's flow. The throttle for that
// flow is unknown before the runs: by throttle the point takes three or four runs, a solver that can hold a flow needs
// a single run. A machine that is choked or stalled at the design speed may not have that flow. This failure is data:
// the point is then sought by throttle, as without such a solver.

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
