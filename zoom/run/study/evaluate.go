package study

// The evaluation of jobs: sources that answer a task without a run, and layers around the pool.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// layer is a step on the way of a task to the pool: it answers the task or passes it to the next evaluator.
type layer func(next attempt.Evaluator) attempt.Evaluator

// source returns the outcome of a task that needs no run; false: it has none.
type source func(cache.Key, attempt.Task) (run.Outcome, bool, error)

// make lets the pool make a task, from the solutions that it starts from.
func (s *Study) make(ctx context.Context, t attempt.Task) (run.Outcome, error) {
	evaluate := attempt.Evaluator(s.Pool.Make)
	for _, around := range []layer{s.checking, s.starting} {
		evaluate = around(evaluate)
	}
	return evaluate(ctx, t)
}

// Evaluate returns an outcome for each job, in the same order. Outcome.Cached reports whether it is from the cache or
// from a run. Errors are as of Pool.Run and of the cache's folder.
func (s *Study) Evaluate(ctx context.Context, jobs []run.Job) ([]run.Outcome, error) {
	if s.Foresee != nil {
		return s.foresee(jobs)
	}
	jobs = s.Pool.Plan(jobs)
	out, err := s.evaluateAll(ctx, jobs)
	s.substituteBranches(jobs, out)
	for err == nil {
		late, at := s.besideNearest(out)
		if len(late) == 0 {
			break
		}
		var more []run.Outcome
		more, err = s.evaluateAll(ctx, late)
		s.substituteBranches(late, more)
		for k, i := range at {
			if more[k].Class != run.NotRun {
				out[i] = more[k]
			}
		}
	}
	return out, err
}

// evaluateAll is Evaluate without the runs that start from others of the batch.
func (s *Study) evaluateAll(ctx context.Context, jobs []run.Job) ([]run.Outcome, error) {
	if s.Cache == nil {
		return s.Pool.Evaluate(ctx, jobs, s.make)
	}
	w := waiting{study: s, timers: map[cache.Key]*clock.Timer{}, began: map[cache.Key]time.Time{}}
	defer w.end()
	// First the jobs that no other process runs; then the other jobs in turn, so that none waits for another.
	out, err := s.Pool.Evaluate(ctx, jobs, s.shared(s.make, 0, &w))
	for err == nil {
		var late []int
		var rest []run.Job
		for i := range out {
			if errors.Is(out[i].Err, errElsewhere) {
				late, rest = append(late, i), append(rest, out[i].Job) // perhaps with another request than at first
			}
		}
		if len(rest) == 0 {
			break
		}
		var more []run.Outcome
		more, err = s.Pool.Evaluate(ctx, rest, s.shared(s.make, turn, &w))
		for k, i := range late {
			out[i] = more[k]
		}
	}
	for i := range out {
		if errors.Is(out[i].Err, errElsewhere) {
			out[i].Err = run.ErrStudyEnded
		}
	}
	return out, err
}

var errElsewhere = errors.New("another process runs this point")

// turn is how long the study waits for one point before it tries the next.
const turn = 200 * time.Millisecond

// shared is the layer that answers a task from the cache. The next layer makes the tasks that the cache lacks, and
// shared keeps their answers. If another process makes a task, shared waits for that process for a while, and then
// returns errElsewhere in the outcome.
func (s *Study) shared(next attempt.Evaluator, wait time.Duration, w *waiting) attempt.Evaluator {
	return func(ctx context.Context, t attempt.Task) (run.Outcome, error) {
		t.Judged = run.JudgedNow(s.Rules)
		if t.Branch != nil {
			return s.makeBranch(ctx, t)
		}
		notRun := run.NewOutcome(t.Job, run.NotRun, nil)
		changed := attempt.Unchanged(s.Pool.Program)
		key, err := s.key(t.Job, t.Judged)
		if err != nil {
			notRun.Err = err
			var programError *launch.ProgramError
			if errors.As(err, &programError) {
				return notRun, &run.AbortError{Job: t.Name, Err: err}
			}
			return notRun, nil // the request cannot be written as JSON: it has a NaN, for instance
		}
		t.CacheKey = key.String()
		began := s.Pool.Clock.Now()
		for _, find := range []source{s.substitute, s.stored, s.tolerated, s.failed} {
			if o, ok, err := find(key, t); ok || err != nil {
				w.had(key, t.Job)
				return o, err
			}
		}
		s.Pool.Span(t.Job, began, event.Event{Name: attempt.SpanLookUp})
		began = s.Pool.Clock.Now()
		lockCtx, cancel := context.WithCancel(ctx)
		defer cancel()
		if wait == 0 {
			cancel() // Lock tries once
		} else {
			defer s.Pool.Clock.AfterFunc(wait, cancel).Stop()
		}
		unlock, err := s.Cache.Lock(lockCtx, key)
		switch {
		case err != nil && ctx.Err() != nil:
			notRun.Err = run.ErrStudyEnded
			return notRun, nil
		case errors.Is(err, context.Canceled):
			w.begin(key, t.Job)
			notRun.Err = errElsewhere
			return notRun, nil
		case err != nil:
			notRun.Err = err
			return notRun, err
		}
		defer unlock()
		if !w.had(key, t.Job) {
			s.Pool.Span(t.Job, began, event.Event{Name: attempt.SpanQueued, WaitsFor: "lock"})
		}
		for _, find := range []source{s.stored, s.failed} { // another process has made it meanwhile
			if o, ok, err := find(key, t); ok || err != nil {
				return o, err
			}
		}
		o, err := next(ctx, t)
		if why := changed(); why != nil && o.Class != run.NotRun {
			if o.Lasting(s.Rules != nil) {
				s.warn(t.Job, fmt.Errorf("%s is not kept, as its solver may have been another one: %w", o.Run, why))
			}
			o.Beyond, o.Changed, o.Alike = true, why, 0 // neither its answer nor its failure belongs to the key
		}
		began = s.Pool.Clock.Now()
		s.keep(key, t, &o)
		s.remember(key, &o)
		s.Pool.Span(t.Job, began, event.Event{Name: attempt.SpanKeep})
		return o, err
	}
}
