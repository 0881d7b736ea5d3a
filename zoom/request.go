package zoom

// Planned runs, and the form in which a checkpoint stores the runs of a zoom.

import (
	"github.com/peregrine-sim/peregrine/zoom/machine"
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
