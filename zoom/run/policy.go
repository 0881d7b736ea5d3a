package run

// What is done about a run that failed. One failed run never ends a study by
// itself; whoever asked for the study says which failures may.

import (
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Action is what a policy does about one class of failure.
type Action int

const (
	LeaveOut Action = iota // the study goes on without the point
	Retry                  // the same request once more
	Change                 // another request for the same point, from Policy.Change
	Abort                  // the study ends; what was finished is kept
)

// Policy says what is done about each class.
type Policy struct {
	Attempts int                    // at most, per job; default 2
	Actions  map[event.Class]Action // by class; a class that is absent is left out

	// Change makes the next request of a job after an attempt failed: a lower CFL
	// number, for instance, or a start from the nearest good point, which is
	// among the outcomes that are there so far. It reports false if it knows no
	// better one; the point is then left out. It may be called from several goroutines.
	Change func(failed Outcome, d plugin.Description, done []Outcome) (plugin.Request, bool)
}

// DefaultPolicy retries what is likely to be the machine's fault and leaves
// out what is the flow's. A run that diverged is tried again with half the CFL number, if
// the solver has a setting named "cfl".
func DefaultPolicy() Policy {
	return Policy{
		Attempts: 2,
		Actions: map[event.Class]Action{
			event.Crashed: Retry, event.Killed: Retry, event.Lost: Retry, event.Hung: Retry,
			event.Diverged: Change,
		},
		Change: HalveCFL,
	}
}

// HalveCFL asks for the same point with half the CFL number, if the solver has
// a setting of that name and the half is allowed.
func HalveCFL(failed Outcome, d plugin.Description, _ []Outcome) (plugin.Request, bool) {
	r := d.WithDefaults(failed.Job.Request)
	cfl, ok := r.Numbers["cfl"]
	if !ok {
		return r, false
	}
	r.Numbers["cfl"] = cfl / 2
	return r, d.CheckRequest(r) == nil
}

func (p Policy) withDefaults() Policy {
	if p.Attempts == 0 {
		p.Attempts = 2
	}
	return p
}

// next decides after attempt number n. It returns the action, and the request
// of the next attempt if there is to be one.
func (p Policy) next(o Outcome, n int, d plugin.Description, done []Outcome) (Action, plugin.Request) {
	action := p.Actions[o.Class]
	if o.Stopped {
		action = LeaveOut // who stopped it does not want it again
	}
	again := n < p.Attempts
	switch {
	case action == Retry && again:
		return Retry, resumed(o, d)
	case action == Change && again && p.Change != nil:
		if r, ok := p.Change(o, d, done); ok {
			return Change, r
		}
	case action == Abort:
		return Abort, plugin.Request{}
	}
	return LeaveOut, plugin.Request{}
}
