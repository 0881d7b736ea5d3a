// Package event holds the one type in which everything that happens during a
// study is told: by a solver's plugin, by a watchdog that reads the solver's
// files, by the host. Rules, terminal and report read events and nothing else.
package event

import "time"

// Event is one thing that happened to one run of a study.
type Event struct {
	Study     string               `json:"study"`
	Run       string               `json:"run"`                  // empty: the study as a whole
	Seq       int64                `json:"seq"`                  // from 1, per run, source and file
	Time      time.Time            `json:"time"`                 //
	Source    Source               `json:"source"`               // who says so
	Kind      Kind                 `json:"kind"`                 //
	Values    map[string]float64   `json:"values,omitempty"`     // finite numbers by name: iteration, residual, W_in, W_out, PR ...
	Arrays    map[string][]float64 `json:"arrays,omitempty"`     // profiles by name, SI
	NonFinite []string             `json:"non_finite,omitempty"` // names whose value was NaN or infinite
	Text      string               `json:"text,omitempty"`       // for people; a run's class for Ended
	File      string               `json:"file,omitempty"`       // file it was read from, relative to the run folder
	Line      string               `json:"line,omitempty"`       // the line it was read from, as it stood
}

// Source is who reports an event.
type Source string

const (
	Plugin Source = "plugin" // the solver itself
	File   Source = "file"   // a watchdog that reads the solver's files
	Host   Source = "host"   // the executive's side
)

// Kind is what an event tells.
type Kind string

const (
	Started   Kind = "started"
	Iteration Kind = "iteration" // values: iteration, residual and whatever the solver has
	Message   Kind = "message"
	Profile   Kind = "profile" // arrays
	Result    Kind = "result"  // values and arrays of the answer
	Warning   Kind = "warning" // text
	Ended     Kind = "ended"   // text: the Class
)

// Class is how a run ended.
type Class string

const (
	Converged    Class = "converged"
	NotConverged Class = "not_converged" // iteration limit
	Diverged     Class = "diverged"      // residual grew without bound, or NaN
	Unphysical   Class = "unphysical"    // an answer that a rule of kind error rejects
	Stalled      Class = "stalled"       // the flow has no steady operating point there
	Hung         Class = "hung"          // no output for too long
	Crashed      Class = "crashed"       // the process ended by itself without a result
	Killed       Class = "killed"        // the process was ended by a signal, or stopped on request
	Timeout      Class = "timeout"       // wall-clock limit
	BadOutput    Class = "bad_output"    // a result that does not match the plugin's description
	Lost         Class = "lost"          // the process cannot be found
)
