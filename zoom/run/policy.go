package run

// The policy on failed runs. One failed run does not end a study, unless the policy requires it for its class.
//
// External failures (killed, lost) retry the same request. A failure caused by the request is followed by another
// request for the same point, with a cache key of its own. So the cache never has an answer under the key of settings
// that did not give it.

import (
	"maps"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Policy lists the steps that follow a failed run, by its class. If no step is left, the study continues without the
// point.
type Policy map[event.Class][]config.FailureStep

// DefaultPolicy retries once a run that failed from outside. It halves the Courant number of a run that diverged, if
// its solver has a setting "cfl" and accepts the half.
func DefaultPolicy() Policy {
	p := Policy{event.Diverged: {{Change: []config.ChangeSetting{{Name: "cfl", Factor: 0.5}}}}}
	for _, class := range config.OutsideFailures {
		p[event.Class(class)] = []config.FailureStep{{Retry: 1}}
	}
	return p
}

// PolicyOf returns the default policy with the steps of a zoom for the classes that the zoom names.
func PolicyOf(failures map[string][]config.FailureStep) Policy {
	p := DefaultPolicy()
	for class, steps := range failures {
		p[event.Class(class)] = steps
	}
	return p
}

// Action is the reaction of a policy to one failure.
type Action int

// The actions of a policy.
const (
	LeaveOut Action = iota
	Retry           // the same request
	Change          // another request
	Abort           // the study ends; the answers so far are kept
)

// Next returns the action that follows a failure in a class, and the step of a change. failed counts the failures of
// the request in the class, including this one. used is the number of the class's steps that were taken, or that the
// solver does not accept.
func (p Policy) Next(class event.Class, failed, used int) (a Action, step int) {
	retries := 0
	for _, s := range p[class] {
		if retries += s.Retry; s.Retry > 0 && failed <= retries {
			return Retry, 0
		}
	}
	for n := used; n < len(p[class]); n++ {
		if s := p[class][n]; s.Change != nil || s.Nearest {
			return Change, n
		}
	}
	if n := len(p[class]); n > 0 && p[class][n-1].Abort {
		return Abort, 0
	}
	return LeaveOut, 0
}

// SecondAfter returns the silence after which a run that may be repeated gets a second attempt beside it, where nothing
// else waits and a worker is free: a multiple of the longest silence of runs with an answer, which is above 0.
func SecondAfter(longest time.Duration) time.Duration {
	const times, least = 20, 500 * time.Millisecond
	return max(least, times*longest)
}

// NoRetry is a count of failures for which no policy has a retry left.
const NoRetry = 1 << 30

// Variation is how a policy has changed the request of a job.
type Variation struct {
	Waits    bool       // until the others of its batch have ended; the nearest of them becomes its neighbour
	Since    time.Time  // for which it waits
	Attempts int        // at the earlier requests
	After    *event.Ref // end of the last of these; nil: not recorded

	base  plugin.Request // before the first change
	steps []step         // in force, in the order of the failures
}

// step is a step of a policy that is in force for a job.
type step struct {
	class event.Class
	n     int
}

// used returns the number of steps taken for a class, and the steps for other classes, which remain in force.
func (v *Variation) used(class event.Class) (n int, others []step) {
	if v == nil {
		return 0, nil
	}
	for _, s := range v.steps {
		if s.class == class {
			n = s.n + 1
		} else {
			others = append(others, s)
		}
	}
	return n, others
}

// Vary returns the job with the next other request that follows a failure in a class, after so many attempts; nil: no
// step is left. It skips steps that the solver does not accept.
func (p Policy) Vary(j Job, class event.Class, attempts int, d plugin.Description) *Job {
	used, others := j.Variation.used(class)
	for {
		action, n := p.Next(class, NoRetry, used)
		if action != Change {
			return nil
		}
		used = n + 1
		if p[class][n].Nearest && !TakesNeighbour(&d) {
			continue
		}
		v := Variation{Waits: p[class][n].Nearest, Attempts: attempts, base: j.Request}
		if j.Variation != nil {
			v.base, v.After = j.Variation.base, j.Variation.After
		}
		v.steps = append(others[:len(others):len(others)], step{class, n})
		if request, ok := p.request(&v, d); ok {
			next := j
			next.Request, next.Group, next.GoOn, next.Variation = request, nil, nil, &v
			return &next
		}
	}
}

// WithoutNearest returns the policy without the steps that start from another run. An empty step replaces each of them:
// a [Variation] counts the steps of the whole policy.
func (p Policy) WithoutNearest() Policy {
	q := Policy{}
	for class, steps := range p {
		for _, s := range steps {
			if s.Nearest {
				s = config.FailureStep{}
			}
			q[class] = append(q[class], s)
		}
	}
	return q
}

// request returns the request of a variation. It reports false if the solver does not accept it.
func (p Policy) request(v *Variation, d plugin.Description) (plugin.Request, bool) {
	r := v.base
	r.Numbers, r.Texts = maps.Clone(r.Numbers), maps.Clone(r.Texts)
	delete(r.Texts, plugin.InRestart)
	delete(r.Texts, plugin.InNeighbour) // a path of this machine; the key has that run's key
	if len(r.Texts) == 0 {
		r.Texts = nil // as before a path was set
	}
	whole := d.WithDefaults(r)
	for _, s := range v.steps {
		for _, c := range p[s.class][s.n].Change {
			was, known := whole.Numbers[c.Name]
			switch {
			case c.Factor > 0 && !known:
				return r, false
			case c.Factor > 0:
				r.Numbers = With(r.Numbers, c.Name, was*c.Factor)
			case c.Number:
				r.Numbers = With(r.Numbers, c.Name, c.Value.Num)
			default:
				r.Texts = With(r.Texts, c.Name, c.Value.Text)
			}
		}
	}
	return r, d.CheckRequest(d.WithDefaults(r)) == nil
}

// With sets a value of a map, which may be nil.
func With[K comparable, V any](m map[K]V, name K, v V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[name] = v
	return m
}
