package config

// The steps that follow failed runs of a zoom, and the classes of failures.

import (
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
)

// FailureStep is one step of what follows runs that fail in one way. One of Retry, Change or Nearest, LeaveOut and
// Abort is set.
type FailureStep struct {
	Retry    int             // how often the same request is run once more
	Change   []ChangeSetting // other settings than those of the request as it was first made
	Nearest  bool            // it starts from the nearest run that gave an answer; may stand beside Change
	LeaveOut bool
	Abort    bool
	Pos      document.Pos
}

// ChangeSetting is another value of a setting.
type ChangeSetting struct {
	Name   string
	Factor float64 // times its value; 0: Value
	Value  Value   // as in Zoom.Settings
	Number bool    // Value is a number; else a text
}

// The classes of failures, those of package event, by what may follow them.
var (
	OutsideFailures = []string{"killed", "lost", "crashed", "hung", "timeout"} // befell the run
	RequestFailures = []string{"diverged", "stalled", "not_converged"}         // the request causes them
	otherFailures   = []string{"unphysical", "bad_output", "out_of_memory", "over_limit"}

	// FailureClasses are all of them.
	FailureClasses = slices.Concat(RequestFailures, OutsideFailures, otherFailures)
)
