package run

// What is done about a failed run. One failed run does not end a study, unless the policy says so for its class.
//
// What befell a run is answered by the very same request. What the request causes is answered by another request for
// the same point: that is a job of its own, with a key of its own, so that the cache never has an answer under the
// key of settings that did not give it.

import (
	"maps"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Policy says what follows a run that failed, by its class: the steps one after another. Where there is none, or none
// is left, the study goes on without the point.
type Policy map[event.Class][]config.FailureStep

// DefaultPolicy runs once more what befell a run from outside, and halves the Courant number of a run that diverged,
// if its solver has a setting "cfl" and allows the half.
func DefaultPolicy() Policy {
	p := Policy{event.Diverged: {{Change: []config.ChangeSetting{{Name: "cfl", Factor: 0.5}}}}}
	for _, class := range config.OutsideFailures {
		p[event.Class(class)] = []config.FailureStep{{Retry: 1}}
	}
	return p
}

// PolicyOf is the default, but for the classes that a zoom names.
func PolicyOf(failures map[string][]config.FailureStep) Policy {
	p := DefaultPolicy()
	for class, steps := range failures {
		p[event.Class(class)] = steps
	}
	return p
}

// action is what a policy does about one failure.
type action int

const (
	leaveOut action = iota
	retry           // the same request
	change          // another request
	abort           // the study ends; the answers so far are kept
)

// taken is a step of a policy that is in force for a job.
type taken struct {
	class event.Class
	step  int
}

// next decides what follows the failure of a job, whose request has failed so often in each class, this time
// included. With change it returns the job that follows.
func (p Policy) next(j Job, o *Outcome, failed map[event.Class]int, d plugin.Description) (action, *Job) {
	if o.Stopped { // do not repeat what somebody stopped
		return leaveOut, nil
	}
	retries := 0
	for _, s := range p[o.Class] {
		if retries += s.Retry; s.Retry > 0 && failed[o.Class] <= retries {
			return retry, nil
		}
	}
	if j.branch != nil { // its request is what it is made for
		return leaveOut, nil
	}
	if next := p.change(j, o.Class, d); next != nil {
		next.tries = o.Attempts
		return change, next
	}
	if n := len(p[o.Class]); n > 0 && p[o.Class][n-1].Abort {
		return abort, nil
	}
	return leaveOut, nil
}

// change returns the job with the next other request that follows a class, nil if there is none. Steps that the
// solver does not take are passed over. The steps that answered other classes stay in force.
func (p Policy) change(j Job, class event.Class, d plugin.Description) *Job {
	first := 0
	var others []taken
	for _, t := range j.taken {
		if t.class == class {
			first = t.step + 1
		} else {
			others = append(others, t)
		}
	}
	for n := first; n < len(p[class]); n++ {
		s := p[class][n]
		if s.Change == nil && !s.Nearest || s.Nearest && !j.nearby {
			continue
		}
		next := j
		next.taken = append(others[:len(others):len(others)], taken{class, n})
		next.waits, next.Group, next.GoOn, next.goOn, next.key, next.near = s.Nearest, nil, nil, "", "", 0
		if next.first == nil {
			next.first = &j.Request
		}
		if request, ok := p.request(&next, d); ok {
			next.Request = request
			return &next
		}
	}
	return nil
}

// request is that of a job with the steps that it has taken. It reports false if the solver does not accept it.
func (p Policy) request(j *Job, d plugin.Description) (plugin.Request, bool) {
	r := *j.first
	r.Numbers, r.Texts = maps.Clone(r.Numbers), maps.Clone(r.Texts)
	delete(r.Texts, plugin.InRestart)
	delete(r.Texts, plugin.InNeighbour) // a path of this machine; the key has that run's
	if len(r.Texts) == 0 {
		r.Texts = nil // as before the path was there
	}
	whole := d.WithDefaults(r)
	for _, t := range j.taken {
		for _, c := range p[t.class][t.step].Change {
			was, known := whole.Numbers[c.Name]
			switch {
			case c.Factor > 0 && !known:
				return r, false
			case c.Factor > 0:
				r.Numbers = with(r.Numbers, c.Name, was*c.Factor)
			case c.Number:
				r.Numbers = with(r.Numbers, c.Name, c.Value.Num)
			default:
				r.Texts = with(r.Texts, c.Name, c.Value.Text)
			}
		}
	}
	return r, d.CheckRequest(d.WithDefaults(r)) == nil
}

// with sets a value of a map, which may be nil.
func with[V any](m map[string]V, name string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[name] = v
	return m
}
