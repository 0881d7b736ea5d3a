package rules

// Rules that runs judge themselves, in their solvers' processes. They are sent with the requests. The host judges all
// other rules, and rules that a solver cannot judge.

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// inSitu are the rules that runs judge.
type inSitu struct {
	names []string
	text  string
	told  bool // that some solver cannot judge them
}

func newInSitu(set *rule.Set) (a inSitu, err error) {
	a.names = set.InSitu()
	a.text, err = set.Text()
	return a, err
}

// Board implements attempt.Boarder.
func (j *Judge) Board(_ string, able bool) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !able && j.inSitu.text != "" && !j.inSitu.told {
		j.inSitu.told = true
		j.warn(result.Warning{Severity: rule.Warning, Rule: "judged_by_host", Evidence: []string{},
			Message: fmt.Sprintf(
				"the solver judges no rules itself: the host judges those that say where: run, %s, at each of its "+
					"reports",
				strings.Join(j.inSitu.names, ", "))}, nil)
	}
	if !able {
		return ""
	}
	return j.inSitu.text
}

// haltOf returns the end of a run that was stopped by one of its own rules; nil: it was not.
func (j *Judge) haltOf(e *event.Event) *attempt.Halt {
	a := e.Act
	if e.Kind != event.Command || a == nil || a.Rule == "" || steer.Verb(a.Verb) != steer.Stop ||
		a.State != event.Applied {
		return nil
	}
	return &attempt.Halt{
		Class: j.class(e.Run), Message: fmt.Sprintf("rule %s, which the run judges itself, at iteration %d", a.Rule,
			a.Iteration), Cause: e.Ref(),
	}
}
