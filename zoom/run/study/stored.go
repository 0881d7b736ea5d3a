package study

// The cache as the source of a study's answers, and the storing of outcomes.

import (
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// stored is the source of the outcomes in the cache. A damaged entry is reported by a warning and the job is run. An
// entry of a newer program is an error that ends the study, which must not overwrite it.
func (s *Study) stored(key cache.Key, t attempt.Task) (run.Outcome, bool, error) {
	o, ok, err := s.found(key, t, true)
	if ok {
		s.reportFound(key, &o, "")
	}
	return o, ok, err
}

// found is stored without the report. With own, the answer belongs to the task's own request, otherwise to another
// request.
func (s *Study) found(key cache.Key, t attempt.Task, own bool) (run.Outcome, bool, error) {
	data, ok, err := s.Cache.Get(key)
	if err != nil {
		s.warn(t.Job, err)
	}
	if !ok {
		return run.Outcome{}, false, nil
	}
	e, err := ReadAnswer(key, data)
	var newer *EntryError
	if errors.As(err, &newer) {
		return run.NewOutcome(t.Job, run.NotRun, err), false, err
	}
	if err != nil {
		s.warn(t.Job, fmt.Errorf("cache entry %.12s: %w", key, err))
		return run.Outcome{}, false, nil
	}
	o := e.outcome(key, t)
	if own {
		s.adopt(key, t, &o, e.Study)
	}
	if !o.OK() {
		o.Err = o.Failure(o.Message+" (from the cache)", nil)
		o.Next = s.Pool.Policy.Vary(t.Job, o.Class, o.Attempts, s.Description)
	}
	return o, true, nil
}

// adopt makes a cached outcome the outcome of a task: other runs can start from it, and later studies find it.
func (s *Study) adopt(key cache.Key, t attempt.Task, o *run.Outcome, study string) {
	s.leave(t, o)
	s.checked.add(o)
	s.publish(key, t, o, study)
}

// publish enters an outcome into its group and into the notes of near requests, where later studies find it.
func (s *Study) publish(key cache.Key, t attempt.Task, o *run.Outcome, study string) {
	s.join(key, t, study)
	if o.OK() {
		s.noteNear(key, t, study)
	}
}

// reportFound reports an outcome of the cache as the end of its job.
func (s *Study) reportFound(key cache.Key, o *run.Outcome, text string) {
	s.Pool.Logger.Debug("from the cache", "job", o.Job.Name, "key", key.String(), "class", o.Class)
	o.Ended = s.Pool.Report(o.Job, event.Event{
		Kind: event.Ended, Class: o.Class, Cached: true, Folder: o.Folder, Text: text, Follows: o.Next != nil,
	})
}

// keep stores the outcome of a task under its key, and publishes it to its group and to near requests. A steered
// outcome has a key of its own.
func (s *Study) keep(key cache.Key, t attempt.Task, o *run.Outcome) {
	t.Job = o.Job
	switch {
	case !o.Lasting(s.Rules != nil):
	case len(o.Steered) > 0:
		if failed := s.keepSteered(key, t, o); failed != nil {
			s.warn(t.Job, failed)
		}
	default:
		o.Key = key.String()
		s.publish(key, t, o, s.Pool.Study)
		s.store(key, o)
	}
}

// store stores an outcome. If the cache cannot be written, a warning is recorded and the study continues.
func (s *Study) store(key cache.Key, o *run.Outcome) {
	a := StoredAnswer{Answer: o.Answer, Made: s.Pool.Clock.Now().UTC(), Maker: o.Maker,
		Request: o.Job.Request.Numbers, Steered: o.Steered}
	if s.Rules != nil {
		a.Verdict = s.Rules.Verdict(o.Run)
	}
	put := s.Cache.PutSoon
	if plugin.Lasting(o.Wall) {
		put = s.Cache.Put
	}
	if err := a.put(key, put); err != nil {
		s.warn(o.Job, err)
	}
}

// leave names the solution that an outcome of a task leaves, if any. That of a steered run does not belong to its
// request, so no run of another request starts from it.
func (s *Study) leave(t attempt.Task, o *run.Outcome) {
	o.Solution, o.Further = nil, nil
	if !o.OK() || !s.Description.HasSolution() {
		return
	}
	o.Further = run.NewSolution(t.Job, o)
	o.Further.CacheKey, o.Further.Judged, o.Further.Key = t.CacheKey, t.Judged, o.Key
	if len(o.Steered) == 0 {
		o.Solution = o.Further
	}
}

// Answers of the cache without an evaluation.

// Recall returns the cached answer for a job, also by the next requests of its policy; nil: none is cached. An answer
// that was started from the nearest run depends on the rest of its batch, and does not count.
func (s *Study) Recall(j run.Job) *run.Outcome {
	policy := s.Pool.Policy.WithoutNearest()
	for next := &j; next != nil; {
		key, err := s.Key(*next)
		if err != nil {
			return nil
		}
		data, ok, err := s.Cache.Get(key)
		if !ok || err != nil {
			return nil
		}
		e, err := ReadAnswer(key, data)
		if err != nil {
			return nil
		}
		t := attempt.Task{Job: *next}
		o := e.outcome(key, t)
		s.adopt(key, t, &o, e.Study)
		if o.OK() {
			return &o
		}
		next = policy.Vary(*next, o.Class, o.Attempts, s.Description)
	}
	return nil
}
