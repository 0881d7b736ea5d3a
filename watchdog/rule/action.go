package rule

// What a rule may do to the run that it judges, besides warning of it.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Verbs of actions. The comments are the list of the help page on rules.
const (
	Stop       = "stop"       // end the run
	Unusable   = "unusable"   // reject the run's answer, which then is unphysical
	Pause      = "pause"      // hold the run, if its solver can
	Checkpoint = "checkpoint" // write a state from which a run can start, if its solver can
	Change     = "set"        // change settings that the solver lets change while it runs, as in {set: {CFL: 5}} or {set: {cfl: cfl / 2}}
)

// Action is what a rule does to the run; the zero Action is nothing.
type Action struct {
	Verb   string             // Stop, Unusable, Pause, Checkpoint or Change
	Values map[string]float64 // of Change, SI
	To     map[string]string  // of Change: expressions for further ones
}

func (a Action) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		list = append(list, name+" = "+show(a.Values[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(a.To)) {
		list = append(list, name+" = "+a.To[name])
	}
	return strings.TrimSpace(a.Verb + " " + strings.Join(list, ", "))
}

// Check returns an error for an action that there is not.
func (a Action) Check() error { return a.check() }

// check returns an error for an action that there is not.
func (a Action) check() error {
	switch a.Verb {
	case "", Stop, Unusable, Pause, Checkpoint:
		return nil
	case Change:
		if len(a.Values)+len(a.To) > 0 {
			return nil
		}
	}
	return fmt.Errorf("an action is %s, %s, %s, %s or {%s: {NAME: NUMBER OR EXPRESSION}}", Stop, Unusable, Pause, Checkpoint, Change)
}
