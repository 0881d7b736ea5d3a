package study

// Runs that were changed by commands. Their answer does not belong to the request alone. The cache keeps it under the
// key of the request, the changes and their iterations, so that no request gets the answer of a different one. A change
// of a setting or input before the first iteration makes the run a run of another request, whose answer it has. Within
// its study the answer stands in for the requested point; a file of the study's folder records this.

import (
	"context"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// keepSteered stores the answer of a steered run under a key of its own, and records it as stand-in for its job's key
// in this study.
func (s *Study) keepSteered(key cache.Key, t attempt.Task, o *run.Outcome) (err error) {
	request, rest := effectiveRequest(t.Request, o.Steered)
	by, kept := key, *o
	kept.Job.Request, kept.Steered = request, rest
	if len(rest) < len(o.Steered) || !sameRequest(t.Request, request) {
		if by, err = s.key(kept.Job, t.Judged); err != nil {
			return err
		}
	}
	if len(rest) > 0 {
		if by, err = steeredKey(by, rest); err != nil {
			return err
		}
	}
	o.Key = by.String()
	if o.Further != nil {
		o.Further.Key = o.Key
	}
	s.store(by, &kept)
	if s.Pool.Host == nil {
		return nil
	}
	return writeStandIn(s.Pool.Host.Folder(), key, o)
}

// makeBranch makes a branch. Its answer is kept under the key of its parent's request and all acts on both.
func (s *Study) makeBranch(ctx context.Context, t attempt.Task) (run.Outcome, error) {
	o, err := s.Pool.Make(ctx, t)
	if !o.Lasting(s.Rules != nil) || t.Start.Key == "" || o.Maker.Sum() != t.Start.Program {
		return o, err
	}
	by, failed := cache.ParseKey(t.Start.Key)
	if failed == nil {
		by, failed = steeredKey(by, o.Steered)
	}
	if failed != nil {
		s.warn(t.Job, failed)
		return o, err
	}
	o.Key = by.String()
	s.store(by, &o)
	return o, err
}

// substitute is the source of the outcomes that stand in for tasks' outcomes in this study.
func (s *Study) substitute(key cache.Key, t attempt.Task) (run.Outcome, bool, error) {
	in, err := readStandIn(s.Pool.Host.Folder(), key)
	if err != nil {
		s.warn(t.Job, err)
	}
	if in == nil {
		return run.Outcome{}, false, nil
	}
	by, err := cache.ParseKey(in.By)
	if err != nil {
		return run.Outcome{}, false, nil
	}
	of := t
	of.Group, of.Neighbour = nil, nil // it is no member of this job's group
	o, ok, err := s.found(by, of, true)
	if !ok || err != nil {
		return run.Outcome{}, false, nil
	}
	o.Job, o.Steered = t.Job, in.Acts
	s.leave(t, &o)
	s.reportFound(by, &o, "")
	return o, true, nil
}
