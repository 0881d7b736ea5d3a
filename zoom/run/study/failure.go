package study

// Failures of solvers that are remembered: a request that failed twice alike is not run by every later study, for a
// while. Such a failure is no answer: the key of its entry also has what may be changed for the request to succeed, the
// limits and the retries, and where it was run.

import (
	"fmt"
	"os"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// leastAlike is the number of failures by one cause from which a request is not run again.
const leastAlike = 2

// failureKey returns the key of a remembered failure of the request with a key.
func (s *Study) failureKey(key cache.Key) (cache.Key, error) {
	host, _ := os.Hostname()
	wall, hung := s.Live().Limits()
	retries := map[event.Class]int{}
	for class, steps := range s.Pool.Policy {
		for _, step := range steps {
			retries[class] += step.Retry
		}
	}
	return cache.NewKey(map[string]any{"failure": key.String(), "limits": s.Pool.Limits, "wall": wall, "hung": hung,
		"retries": retries, "launcher": s.Pool.Host.Launcher.Name(), "host": host, "fresh": s.Pool.Fresh})
}

// failure returns the remembered failure of a request; nil: none, or it is too old.
func (s *Study) failure(key cache.Key) (at cache.Key, found *StoredAnswer) {
	at, err := s.failureKey(key)
	if err != nil || s.Remember <= 0 {
		return at, nil
	}
	data, ok, err := s.Cache.Get(at)
	if err != nil || !ok {
		return at, nil
	}
	a, err := ReadAnswer(at, data)
	if age := clock.Since(s.Pool.Clock, a.Made); err != nil || age >= s.Remember || age < -s.Remember {
		return at, nil // also of a clock that was set back
	}
	return at, &a
}

// failed is the source of the failures that are remembered.
func (s *Study) failed(key cache.Key, t attempt.Task) (run.Outcome, bool, error) {
	at, a := s.failure(key)
	if a == nil || a.Failures < leastAlike {
		return run.Outcome{}, false, nil
	}
	o := a.outcome(at, t)
	o.Message = fmt.Sprintf("failed before at %s, so that it is not run (--remember-failures 0 runs it): %s",
		a.Made.Local().Format(time.DateTime), a.Message)
	o.Err = o.Failure(o.Message, nil)
	o.Next = s.Pool.Policy.Vary(t.Job, o.Class, o.Attempts, s.Description)
	s.reportFound(at, &o, o.Message)
	policy := s.Pool.Policy
	if does, _ := policy.Next(o.Class, run.NoRetry, len(policy[o.Class])); o.Next == nil && does == run.Abort {
		return o, true, &run.AbortError{Job: t.Name, Err: o.Err}
	}
	return o, true, nil
}

// remember stores a failure that the request or its solver causes.
func (s *Study) remember(key cache.Key, o *run.Outcome) {
	if s.Remember <= 0 || o.Alike == 0 {
		return
	}
	at, before := s.failure(key)
	n := o.Alike
	if before != nil && run.Cause(before.Class, before.Message) == run.Cause(o.Class, o.Message) {
		n += before.Failures
	}
	a := StoredAnswer{Answer: o.Answer, Made: s.Pool.Clock.Now().UTC(), Maker: o.Maker,
		Request: o.Job.Request.Numbers, Failures: n}
	a.Result = plugin.Result{Class: o.Class, Message: o.Message}
	if err := a.put(at, s.Cache.PutSoon); err != nil {
		s.warn(o.Job, err)
	}
}
