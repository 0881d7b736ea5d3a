package rule

import (
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Severities. An info is no warning: it states a fact, such as convergence.
const (
	Info    = "info"
	Warning = "warning"
	Severe  = "error"
)

// Finding is a rule that fired: for a run each time that its condition begins to hold, or once for a component or
// engine in a case.
type Finding struct {
	Severity  string    `json:"severity"`
	Rule      string    `json:"rule"`
	Case      string    `json:"case,omitempty"`
	Component string    `json:"component,omitempty"`
	Run       string    `json:"run,omitempty"`
	Runs      []string  `json:"runs,omitempty"` // all that it is about, of a rule on a study
	Time      time.Time `json:"time,omitzero"`  // of the event that made it fire; zero for results of an engine
	Message   string    `json:"message"`
	Evidence  []string  `json:"evidence"` // lines of the solver's files, then the values that the condition names
	Action    string    `json:"action,omitempty"`
	Acts      bool      `json:"acts,omitempty"` // the action is taken, not only noted

	Values map[string]float64 `json:"values,omitempty"` // of the action Change

	Does Action     `json:"-"` // with values in the place of expressions
	Most int        `json:"-"` // actions of the rule in a run; 0: the usual number
	Kind event.Kind `json:"-"` // of that event; empty: none, but the time that has passed, or results of an engine
}
