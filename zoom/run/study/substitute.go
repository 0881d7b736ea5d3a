package study

// The answers of branches. Each is evidence beside its parent's answer, and answers no request. If the point has no
// answer, because its runs failed or were stopped, the answer of its converged branch that was requested first stands
// in for it, with a message.

import (
	"context"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

// substituteBranches fills in the answers that jobs lack from their branches.
func (s *Study) substituteBranches(jobs []run.Job, out []run.Outcome) {
	for _, b := range s.Pool.Branches.StandIns() {
		wanted, _ := s.Pool.Branches.Requested(b.Root)
		lacks := s.lacks(b.Root)
		i := slices.IndexFunc(jobs, func(j run.Job) bool { return j.Name == b.Root })
		if i >= 0 {
			lacks = out[i].Class != run.NotRun && !out[i].OK()
		}
		if !lacks {
			continue
		}
		o := b.Outcome
		text := fmt.Sprintf("%s has no answer: its branch %s answers in its place", b.Root, o.Run)
		if i < 0 {
			text += " when the study is run again"
		}
		o.Ended = s.Pool.Report(wanted, event.Event{Kind: event.Message, Text: text})
		if err := s.noteStandIn(wanted, &o); err != nil {
			s.warn(wanted, err)
		}
		s.Pool.Branches.StandsIn(b)
		if i >= 0 {
			o.Job = jobs[i]
			out[i] = o
		}
	}
}

// noteStandIn records in the study's folder that an answer stands in for a job, if the cache keeps the answer.
func (s *Study) noteStandIn(wanted run.Job, o *run.Outcome) error {
	if s.Cache == nil || o.Key == "" {
		return nil
	}
	key, err := s.Key(wanted)
	if err != nil {
		return err
	}
	return writeStandIn(s.Pool.Host.Folder(), key, o)
}

// lacks reports whether the last outcome of a job is no answer.
func (s *Study) lacks(name string) bool {
	for _, o := range slices.Backward(s.Pool.Outcomes()) {
		if o.Job.Name == name {
			return !o.OK()
		}
	}
	return false
}

// Finish makes the remaining branches of studies that share live settings, after the last request. It warns of branches
// that are not made because no study asked for their runs.
func Finish(ctx context.Context, studies []*Study) error {
	for {
		var lost []*branch.Branch
		settled := true
		for _, s := range studies {
			if _, err := s.Evaluate(ctx, nil); err != nil {
				return err
			}
		}
		for _, s := range studies {
			left, done := s.Pool.Live.Settle()
			lost, settled = left, settled && done
		}
		if !settled {
			continue
		}
		for _, b := range lost {
			err := fmt.Errorf("branch %s of run %s is not made: no study asked for %s now", b.Name, b.Run, b.Root)
			studies[0].warn(run.Job{Name: b.Name}, err)
		}
		return nil
	}
}
