package run

// Solutions of earlier runs, from which others start. A run that takes its first guess from a neighbour's solution
// has an answer that depends on it, by less than the error that it states: the neighbour's key is part of its key. A
// run that goes on where another one with fewer orders ended has the answer of one that was never cut, and its key.
//
// Solutions stay in the folders of their runs, as most are never needed. The cache has their hashes. A neighbour's
// that is gone, or is another than its answer's, is made once more by the same request; so a key says what the answer
// was made of whatever was removed. Where the answer is then another, the run that needs the solution fails.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// solutionOf returns the solution of an outcome of a job, nil if it has none. Where the outcome does not say what is
// in the file, as that of a run which ended without its host, it is made once more when it is needed: which runs have
// a solution must not depend on that.
func (s *Study) solutionOf(j Job, o *Outcome) *Solution {
	if !o.OK() || !s.Description.HasSolution() {
		return nil
	}
	return &Solution{job: j, answer: o.Result.Numbers, sum: o.solution, folder: o.Folder}
}

// TakesNeighbour reports whether a solver can start from the solution of another request.
func TakesNeighbour(d *plugin.Description) bool {
	return d.HasSolution() && slices.ContainsFunc(d.Inputs,
		func(q plugin.Quantity) bool { return q.Name == plugin.InNeighbour && q.Shape == plugin.FileName })
}

// path returns the path of the solution, if it is there as it was.
func (sol *Solution) path(d *plugin.Description) (string, bool) {
	sol.mu.Lock()
	defer sol.mu.Unlock()
	return sol.there(d)
}

// there is path for who holds the lock.
func (sol *Solution) there(d *plugin.Description) (string, bool) {
	path, ok := d.SolutionFile(sol.folder)
	return path, ok && sol.sum != "" && d.SolutionSum(sol.folder) == sol.sum
}

// SolutionError reports a neighbour's solution that is gone and could not be made once more.
type SolutionError struct {
	Run string // the neighbour
	Err error
}

func (e *SolutionError) Error() string {
	return fmt.Sprintf("the solution of run %s, from which it starts, is gone and could not be made once more: %v",
		e.Run, e.Err)
}
func (e *SolutionError) Unwrap() error { return e.Err }

// errOther reports a run that is not the first one over again.
var errOther = errors.New("the solver gave another answer for the same request")

// errNone reports a run without the file that its solver describes.
var errNone = errors.New("the solver left no solution")

// make runs a job, from the solutions that it starts from.
func (s *Study) make(ctx context.Context, j Job) (Outcome, error) {
	wanted := j
	if j.GoOn != nil {
		j.goOn, _ = j.GoOn.path(&s.Description)
	}
	if j.Neighbour != nil {
		path, err := s.remake(ctx, j.Neighbour)
		if err != nil {
			if ctx.Err() != nil {
				return Outcome{Job: j, Class: NotRun, Err: errStudyEnded}, nil
			}
			return Outcome{Job: j, Class: event.Lost, Err: &SolutionError{j.Neighbour.job.Name, err}}, nil
		}
		texts := maps.Clone(j.Request.Texts)
		if texts == nil {
			texts = map[string]string{}
		}
		texts[plugin.InNeighbour] = path
		j.Request.Texts = texts
	}
	o, err := s.Pool.runJob(ctx, j)
	if len(o.Steered) > 0 { // its solution is not what its request has, from which others are to start
		return o, err
	}
	if err == nil {
		s.verify(ctx, j, &o)
	}
	o.Solution = s.solutionOf(wanted, &o)
	return o, err
}

// remake returns the path of a solution, which it makes once more if it is gone.
func (s *Study) remake(ctx context.Context, sol *Solution) (string, error) {
	sol.mu.Lock()
	defer sol.mu.Unlock()
	if path, ok := sol.there(&s.Description); ok {
		return path, nil
	}
	o, err := s.Pool.follow(ctx, sol.job, s.make)
	switch {
	case err != nil:
		return "", err
	case !o.OK():
		return "", o.Err
	case len(o.Steered) > 0 || !maps.Equal(o.Result.Numbers, sol.answer):
		return "", errOther
	}
	sol.folder, sol.sum = o.Folder, o.solution
	if s.Cache != nil {
		key, err := s.Key(sol.job)
		if err != nil {
			return "", err
		}
		if s.keeps(&o) {
			s.keep(key, o) // with the folder that is there
		}
	}
	path, ok := sol.there(&s.Description)
	if !ok {
		return "", errNone
	}
	return path, nil
}
