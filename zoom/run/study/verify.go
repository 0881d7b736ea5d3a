package study

// If a solver answers the same request differently, the cache, and every result computed from its answers, is a matter
// of chance. So one run in fifty is made twice, each time from the request alone, and the answers are compared to the
// last bit. The first answer counts.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// VerifiedMark ends the name of a job that repeats another job.
const VerifiedMark = "-twice"

// checking is the layer that repeats a run if it is its turn, and records the difference of the two in the outcome.
func (s *Study) checking(next attempt.Evaluator) attempt.Evaluator {
	return func(ctx context.Context, t attempt.Task) (run.Outcome, error) {
		o, err := next(ctx, t)
		if err == nil && len(o.Steered) == 0 && s.Verify && o.Lasting(false) && s.checked.turn() {
			s.check(ctx, t, &o, next)
		}
		return o, err
	}
}

// check makes a run once more.
func (s *Study) check(ctx context.Context, t attempt.Task, o *run.Outcome, next attempt.Evaluator) {
	t.Name, t.CacheKey, t.GoOn = t.Name+VerifiedMark, "", ""
	if t.Variation != nil {
		v := *t.Variation
		v.Attempts, v.After = 0, nil
		t.Variation = &v
	}
	t.Planned = s.Pool.Report(t.Job, event.Event{Kind: event.Planned, Name: t.Name, Cause: o.Ended})
	twice, err := next(ctx, t)
	if err != nil || !twice.Lasting(false) || len(twice.Steered) > 0 {
		return // an accident, which is no evidence of the solver's answers
	}
	if what := run.Difference(&o.Result, &twice.Result); what != "" {
		o.Unlike = fmt.Sprintf("runs %s and %s of the same request differ: %s", o.Run, twice.Run, what)
		s.warn(o.Job, errors.New(o.Unlike))
		s.checked.add(o)
	}
}

// Unlike lists the runs of the study, including runs from the cache, whose answers differ from another answer to the
// same request.
func (s *Study) Unlike() []run.Unlike { return s.checked.list() }

// Runs that were made twice, and differences of their answers.

// verifyEvery is the number of runs of which one, the first, is made twice.
const verifyEvery = 50

// checked records the runs of a study that may be made twice, and the answers that differ.
type checked struct {
	mu     sync.Mutex
	runs   int // counted runs; one in verifyEvery is made twice
	unlike []run.Unlike
}

// turn counts the runs, and reports whether the present run is to be made twice.
func (c *checked) turn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs++
	return c.runs%verifyEvery == 1
}

// add records the difference of an outcome from another outcome.
func (c *checked) add(o *run.Outcome) {
	if o.Unlike == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if u := (run.Unlike{Run: o.Run, What: o.Unlike}); !slices.Contains(c.unlike, u) {
		c.unlike = append(c.unlike, u)
	}
}

// list returns the runs whose answers differ, sorted by run.
func (c *checked) list() []run.Unlike {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.unlike), func(a, b run.Unlike) int { return cmp.Compare(a.Run, b.Run) })
}
