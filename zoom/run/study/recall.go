package study

// Answers of the cache without an evaluation.

import (
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

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
