package rule

// Actions of a rule, on the run that it judges or on the study, besides its warning.

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// Verbs of actions. The comments are the list of the help page on rules.
const (
	Stop     = "stop"     // end the run
	Unusable = "unusable" // reject the run's answer; the run is then unphysical
	Pause    = "pause"    // hold the run, if its solver can
	Resume   = "resume"   // let the run continue, whatever process or rule paused it
	// write a state from which a run can start, if its solver can; {checkpoint: NAME}: under a name
	Checkpoint = "checkpoint"
	// change objects of the run, such as settings of its solver: {set: {CFL: 5}}, {set: {cfl: cfl / 2,
	// sensors.history.on: true}}
	Change = "set"
	// make it again from a checkpoint with a name, with other settings or not: {rewind: NAME, set: {cfl: 5}}
	Rewind = "rewind"
	Call   = "call"  // call a function of its solver: {call: NAME}, {call: {NAME: ARGUMENT}}
	First  = "first" // have the runs of the study start first whose names match: {first: 'fan-n100*'}
	// start first the runs of the study whose operating points are nearest to the engine's present one
	Urgent  = "urgent"
	Workers = "workers" // have the study make so many runs at a time: {workers: 4}
)

// Action is the action of a rule; the zero Action means no action.
type Action struct {
	Verb     string
	Values   map[string]float64 // of Change and Rewind, SI
	To       map[string]string  // of the same: expressions for further values
	Flags    map[string]bool    // of the same: the true or false values
	Target   string             // of Checkpoint and Rewind the checkpoint, of Call the function, of First the pattern
	Argument string             // of Call; empty: none
	Workers  int                // of Workers
}

// ActionOf returns the action of a rule of a file.
func ActionOf(r *config.Rule) Action {
	return Action{Verb: r.Action, Values: r.Set, To: r.SetTo, Target: r.Target, Argument: r.Argument,
		Workers: r.Workers}
}

// OnStudy reports whether the action acts on the study and not on a run.
func (a Action) OnStudy() bool { return a.Verb == First || a.Verb == Urgent || a.Verb == Workers }

// Ends reports whether the action ends a run.
func (a Action) Ends() bool { return a.Verb == Stop || a.Verb == Unusable }

// Constant returns the action with maps for the values that replace its expressions.
func (a Action) Constant() Action {
	a.Values, a.Flags, a.To = maps.Clone(a.Values), map[string]bool{}, nil
	if a.Values == nil {
		a.Values = map[string]float64{}
	}
	return a
}

// Give gives an object its new value, of whatever type an expression has made it.
func (a Action) Give(object string, x any) error {
	switch x := x.(type) {
	case bool:
		a.Flags[object] = x
		return nil
	case int:
		a.Values[object] = float64(x)
		return nil
	case float64:
		if a.Values[object] = x; numeric.Finite(x) {
			return nil
		}
	}
	return fmt.Errorf("is %v, no finite number", x)
}

func (a Action) String() string {
	list := []string{}
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		list = append(list, name+" = "+language.Show(a.Values[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Flags)) {
		list = append(list, name+" = "+language.Show(a.Flags[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(a.To)) {
		list = append(list, name+" = "+a.To[name])
	}
	words := []string{a.Verb, a.Target}
	switch {
	case a.Verb == Workers:
		words[1] = fmt.Sprint(a.Workers)
	case a.Verb == Rewind && len(list) > 0:
		words[1] += ","
	}
	return strings.Join(strings.Fields(strings.Join(append(words, a.Argument, strings.Join(list, ", ")), " ")), " ")
}

// check returns an error for an unknown or incomplete action.
func (a Action) check() error {
	changes := len(a.Values) + len(a.To)
	switch a.Verb {
	case "", Stop, Unusable, Pause, Resume, Checkpoint, Urgent:
		return nil
	case Change:
		if changes > 0 {
			return nil
		}
	case Rewind, Call:
		if a.Target != "" {
			return nil
		}
	case Workers:
		if a.Workers > 0 {
			return nil
		}
	case First:
		if _, err := path.Match(a.Target, ""); err != nil {
			return fmt.Errorf("%q: %w: want names of runs such as fan-n100*", a.Target, err)
		}
		if a.Target != "" {
			return nil
		}
	}
	return fmt.Errorf("an action is %s, %s, %s, %s, %s, %s, {%s: {NAME: VALUE}}, {%s: NAME}, {%s: NAME}, {%s: NAME}, "+
		"{%s: RUNS} or {%s: NUMBER}",
		Stop, Unusable, Pause, Resume, Checkpoint, Urgent, Change, Checkpoint, Rewind, Call, First, Workers)
}

// Severities. An info is no warning: it states a fact, such as convergence.
const (
	Info    = "info"
	Warning = "warning"
	Severe  = "error"
)

// UsualMost is the largest number of actions of a rule on a run, if the rule has no limit of its own.
const UsualMost = 10

// Finding is the report of a rule that fired. On a run a rule fires each time that its condition begins to hold; on a
// component or engine in a case it fires once.
type Finding struct {
	Severity  string    `json:"severity"`
	BuiltIn   bool      `json:"-"` // of a built-in rule
	Notify    []string  `json:"-"` // channels that get it; none: by severity
	Rule      string    `json:"rule"`
	Case      string    `json:"case,omitempty"`
	Component string    `json:"component,omitempty"`
	Run       string    `json:"run,omitempty"`
	Runs      []string  `json:"runs,omitempty"` // all runs concerned, of a rule on a study
	Time      time.Time `json:"time,omitzero"`  // of the event that made the rule fire; zero for results of an engine
	Message   string    `json:"message"`
	Evidence  []string  `json:"evidence"` // lines of the solver's files, then the values that the condition names
	Action    string    `json:"action,omitempty"`
	Acts      bool      `json:"acts,omitempty"` // the action is taken, not only noted
	Done      string    `json:"done,omitempty"` // what was done, or why not, on a run that others started

	Values map[string]float64 `json:"values,omitempty"` // of the action Change

	// of a rule on a study
	Key string   `json:"-"` // rule and facts: a later finding with the same key replaces this one
	On  []string `json:"-"` // the unfinished runs on which its action acts: the runs in its each, or all if it has none

	Does Action `json:"-"` // with values instead of expressions
	Most int    `json:"-"` // actions of the rule in a run; 0: the usual number
	// of that event; empty, nil: the rule fired by elapsed time, or for results of an engine
	Kind  event.Kind `json:"-"`
	Cause *event.Ref `json:"-"`
}
