package study

// The solutions from which runs start.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// SolutionError reports that a neighbour's solution is missing and could not be made once more.
type SolutionError struct {
	Run string // the neighbour
	Err error
}

func (e *SolutionError) Error() string {
	return fmt.Sprintf("the solution of run %s, from which it starts, was removed and could not be made again: %v",
		e.Run, e.Err)
}
func (e *SolutionError) Unwrap() error { return e.Err }

// errOther reports a repeated run whose answer differs from the first.
var errOther = errors.New("the solver gave another answer for the same request")

// starting is the layer that finds the solutions from which a task starts, and names the solution that the task leaves.
func (s *Study) starting(next attempt.Evaluator) attempt.Evaluator {
	return func(ctx context.Context, t attempt.Task) (run.Outcome, error) {
		wanted := t
		if from := t.Job.GoOn; from != nil {
			t.GoOn, _ = from.Path(&s.Description)
			if len(from.Steered) > 0 {
				t.GoOnActs = append(slices.Clone(from.Steered), event.Receipt{Verb: attempt.GoOnVerb,
					State: event.Applied, Name: from.Job.Name, Effects: []event.Done{{Object: from.Key}}})
			}
		}
		if n := t.Neighbour; n != nil {
			path, err := n.Restore(&s.Description, func() (folder, sum string, err error) { return s.remake(ctx, n) })
			switch {
			case err != nil && ctx.Err() != nil:
				return run.NewOutcome(t.Job, run.NotRun, run.ErrStudyEnded), nil
			case err != nil:
				return run.NewOutcome(t.Job, event.Lost, &SolutionError{n.Job.Name, err}), nil
			}
			t.Request.Texts = run.With(maps.Clone(t.Request.Texts), plugin.InNeighbour, path)
		}
		o, err := next(ctx, t)
		s.leave(wanted, &o)
		return o, err
	}
}

// remake makes a solution once more, and returns its folder and hash.
func (s *Study) remake(ctx context.Context, sol *run.Solution) (folder, sum string, err error) {
	t := attempt.Task{Job: sol.Job, CacheKey: sol.CacheKey, Judged: sol.Judged}
	o, err := pool.Follow(ctx, t, s.make)
	switch {
	case err != nil:
		return "", "", err
	case !o.OK():
		return "", "", o.Err
	case len(o.Steered) > 0 || !maps.Equal(o.Result.Numbers, sol.Answer):
		return "", "", errOther
	}
	if s.Cache != nil {
		key, err := s.key(sol.Job, sol.Judged)
		if err != nil {
			return "", "", err
		}
		s.keep(key, t, &o) // now with the new folder
	}
	return o.Folder, o.Sum, nil
}
