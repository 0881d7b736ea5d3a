package run

// How a pool makes its jobs: by one attempt after another. Each is made, what follows it is decided, and its end is
// recorded with that.

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Run runs the jobs and returns an outcome for each, in the same order. Failed runs
// are outcomes, not errors. The error is why the study ended early: the cause of ctx, or
// an AbortError. The outcomes are complete even then; jobs that did not start have the
// class NotRun. All processes have ended when Run returns.
func (p *Pool) Run(ctx context.Context, jobs []Job) ([]Outcome, error) {
	return p.runAll(ctx, p.plan(jobs), p.runJob)
}

// attempts are those at one job.
type attempts struct {
	pool *Pool
	job  Job            // as it is made next
	base plugin.Request // the job's, without a checkpoint to go on from

	cause       *event.Ref          // the event that led to the next attempt
	failed      map[event.Class]int // how often base failed
	lost        []string            // machines that were lost under the job
	machineLost bool                // that of the last attempt
}

// runJob makes attempts at a job until one gives an answer or the policy has no more of the same request. The outcome
// names the job with another request that follows.
func (p *Pool) runJob(ctx context.Context, j Job) (Outcome, error) {
	s := &attempts{pool: p, job: j, base: j.Request, cause: cmp.Or(j.after, j.planned), failed: map[event.Class]int{}}
	s.job.Request = j.rewound.request(s.base)
	for n := j.tries + 1; ; n++ {
		may, err := p.permit(ctx, s.job, s.machineLost)
		if err != nil {
			return notRun(ctx, s.job, err)
		}
		o, d, stream, err := p.try(ctx, s.job, n, may, s.lost, s.cause)
		may.giveBack()
		if stream == nil { // the run folder could not be made: a fault of the disk, not of the solver
			return o, &AbortError{Job: j.Name, Err: err}
		}
		d.WholeState = d.WholeState && !p.Anew
		does, next := s.decide(ctx, &o, d, stream.fault())
		s.conclude(stream, &o, does, next)
		switch does {
		case abort:
			return o, &AbortError{Job: j.Name, Err: o.Err}
		case retry:
			s.job.Request = s.request(o, d)
		default:
			return o, nil
		}
	}
}

// decide returns what follows an attempt and, with change, the job that does. diskFault is why events of the attempt
// could not be written; nil: they were. It is added to the outcome's error.
func (s *attempts) decide(ctx context.Context, o *Outcome, d plugin.Description, diskFault error) (action, *Job) {
	if s.rewinds(ctx, o) {
		return retry, nil
	}
	var programError *launch.ProgramError
	switch {
	case !o.OK() && fault.Is(diskFault): // a full disk, for one: the solver is not to blame
		o.Err = errors.Join(diskFault, o.Err)
		return abort, nil
	case errors.As(o.Err, &programError), !o.OK() && fault.Is(o.Err): // other jobs would fail for it, too
		return abort, nil
	case o.lostOn != "" && o.Class == event.Lost && ctx.Err() == nil: // the run is not to blame, and no policy applies
		if !o.left {
			s.lost = append(s.lost, o.lostOn)
		}
		return retry, nil
	case !o.OK() && o.Class != NotRun && ctx.Err() == nil:
		return s.byPolicy(o, d)
	}
	return leaveOut, nil
}

// rewinds reports whether the attempt is to be made again from one of its checkpoints, and sets that for the next one.
func (s *attempts) rewinds(ctx context.Context, o *Outcome) bool {
	if ctx.Err() != nil {
		return false
	}
	start, err := rewoundFrom(o.Folder)
	if err != nil {
		s.pool.report(s.job,
			event.Event{
				Kind: event.Warning, Text: fmt.Sprintf("%s is not made again from a checkpoint: %v", o.Run, err),
			})
	}
	if err != nil || start == nil {
		return false
	}
	s.job.rewound = start
	return true
}

// byPolicy counts a failure of the request, and returns what the policy has follow it.
func (s *attempts) byPolicy(o *Outcome, d plugin.Description) (action, *Job) {
	if s.failed[o.Class]++; o.lostOn != "" { // machines were lost under this very request: no retry is left
		s.failed[o.Class] = mostAttempts
	}
	j := s.job
	j.Request = s.base
	return s.pool.Policy.next(j, o, s.failed, d)
}

// conclude records the end of an attempt, which is the cause of what follows.
func (s *attempts) conclude(stream *stream, o *Outcome, does action, next *Job) {
	s.machineLost = o.lostOn != ""
	s.cause = s.pool.conclude(stream, *o, does == retry || does == change)
	if o.Ended, o.next = s.cause, next; next != nil {
		next.after, next.rewound = s.cause, nil // another request, from its beginning
	}
}

// request returns the request of the next attempt: from the checkpoint that somebody chose or, if nobody has steered
// the last attempt, from its last one.
func (s *attempts) request(o Outcome, d plugin.Description) plugin.Request {
	if s.job.rewound == nil && !touched(o.Folder) {
		o.Job.Request = s.base
		return resumedRequest(o, d)
	}
	return s.job.rewound.request(s.base)
}
