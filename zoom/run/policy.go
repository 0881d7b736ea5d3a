package run

// What is done about a failed run. One failed run does not end a study, unless the caller's
// policy says so for its class.

import (
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Action is what a policy does about one class of failure.
type Action int

const (
	LeaveOut Action = iota // the study goes on without the point
	Retry                  // repeat the same request
	Change                 // run the request that Policy.Change makes for the same point
	Abort                  // end the study; the answers so far are kept
)

// Policy says what is done about each class.
type Policy struct {
	Attempts int                    // requests of a job, and tries of each of them, at most; default 2
	Actions  map[event.Class]Action // by class; absent classes: LeaveOut

	// Change makes the next request of a job after a failed attempt: with a lower CFL
	// number, for instance, or started from the nearest of the outcomes so far. It returns
	// false if it has no better request; the point is then left out. It may be called from
	// several goroutines.
	Change func(failed Outcome, d plugin.Description, done []Outcome) (plugin.Request, bool)
}

// DefaultPolicy retries failures that are likely to be the machine's fault and leaves out
// those of the flow. A run that diverged is retried with HalveCFL.
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

// HalveCFL is a Policy.Change: the same request with half the CFL number, if the solver has
// a setting "cfl" and allows the half.
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

// effort is what has been made for a job. Tries that accidents ended do not count against other requests: a job whose
// first try is killed must not end without the change that it would have had.
type effort struct {
	requests int // of different values
	tries    int // of the present one
}

// next decides what follows an attempt. It returns the action, and the request of the
// next attempt if there is one.
func (p Policy) next(o Outcome, made effort, d plugin.Description, done []Outcome) (Action, plugin.Request) {
	action := p.Actions[o.Class]
	if o.Stopped {
		action = LeaveOut // do not repeat what somebody stopped
	}
	switch {
	case action == Retry && made.tries < p.Attempts:
		return Retry, resumedRequest(o, d)
	case action == Change && made.requests < p.Attempts && p.Change != nil:
		if r, ok := p.Change(o, d, done); ok {
			return Change, r
		}
	case action == Abort:
		return Abort, plugin.Request{}
	}
	return LeaveOut, plugin.Request{}
}
