package pool

// How a pool makes a task: by one attempt after another. After each attempt it decides the next action, which is
// recorded with the attempt's end.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// attempts are the attempts at one task.
type attempts struct {
	pool *Pool
	task attempt.Task   // next attempt
	base plugin.Request // without a checkpoint to continue from

	cause  *event.Ref          // the event that led to the next attempt
	failed map[event.Class]int // failures of base
	causes map[string]int      // failures of base, by their causes
	lost   []string            // machines that were lost under the task
	cut    bool                // the last attempt had to leave its machine without a checkpoint
	blocks int                 // number of blocks in a row that were outlasted without a checkpoint
	twin   string              // run that was halted because another attempt at it had hung; empty: none
	hung   int                 // failures by the cause of that other attempt; 0: another cause
}

// Make makes attempts at a task until an attempt gives an answer, or the policy allows no retry. The outcome names the
// next job, with another request, if the policy has one. Make is the last layer of an evaluation.
func (p *Pool) Make(ctx context.Context, t attempt.Task) (run.Outcome, error) {
	s := &attempts{pool: p, task: t, base: t.Request, cause: t.Planned, failed: map[event.Class]int{},
		causes: map[string]int{}}
	n := 1
	if v := t.Variation; v != nil {
		n, s.cause = v.Attempts+1, cmp.Or(v.After, t.Planned)
	}
	s.task.Request = t.Start.Request(s.base)
	for machineLost := false; ; n++ {
		var orphan *attempt.Orphan
		if s.cause == t.Planned { // no attempt has been made
			orphan = p.Orphan(s.task)
		}
		need := launch.Need{MachineLost: machineLost, Time: p.usualTime, Whole: s.cut}
		may, giveBack, err := p.permit(ctx, t.Job, need, orphan)
		if err != nil {
			return notRun(ctx, s.task.Job, err)
		}
		may.Lost, may.Outlasted, may.Orphan = s.lost, s.blocks, orphan
		within, stop := context.WithCancelCause(ctx)
		ended, over := p.Budget.begin(stop, t.Component, p.coresOfRun(), true)
		if over != nil {
			stop(nil)
			giveBack()
			return p.leftOut(s.task.Job, over.Error()), nil
		}
		a, last, err := s.attempt(within, n, may, func() { ended(); giveBack() })
		stop(nil)
		if n = last; err != nil {
			o := run.NewOutcome(s.task.Job, run.NotRun, err)
			o.Attempts = n
			return o, &run.AbortError{Job: t.Name, Err: err}
		}
		machineLost, a.Outcome.Attempts = a.LostOn != "", n
		a.Description.WholeState = a.Description.WholeState && !p.Anew
		switch s.follow(ctx, a) {
		case run.Abort:
			return a.Outcome, &run.AbortError{Job: t.Name, Err: a.Outcome.Err}
		case run.Retry:
			s.task.Request = s.request(a)
		default:
			return a.Outcome, nil
		}
	}
}

// notRun is the outcome of a job without a permit: the study has ended, or no permit can ever come.
func notRun(ctx context.Context, j run.Job, err error) (run.Outcome, error) {
	o := run.NewOutcome(j, run.NotRun, run.ErrStudyEnded)
	if ctx.Err() != nil {
		return o, nil
	}
	o.Err = err
	return o, &run.AbortError{Job: j.Name, Err: err}
}

// follow decides the action after an attempt, and records it with the attempt's end, which is the cause of the action.
func (s *attempts) follow(ctx context.Context, a *attempt.Attempt) run.Action {
	o := &a.Outcome
	does, next := s.decide(ctx, a)
	end := s.close(a, does == run.Retry || does == run.Change)
	s.cause, o.Ended, o.Next = end, end, next
	if next != nil {
		next.Variation.After = end
	}
	return does
}

// close records the end of an attempt and returns its event.
func (s *attempts) close(a *attempt.Attempt, follows bool) *event.Ref {
	end, err := a.Close(follows)
	if err != nil {
		text := fmt.Sprintf("events of the run may be missing in its folder: %v", err)
		s.pool.Report(a.Outcome.Job, event.Event{Kind: event.Warning, Text: text})
	}
	return end
}

// decide returns the action after an attempt and, for Change, the next job. If events of the attempt could not be
// written, the outcome's error reports it.
func (s *attempts) decide(ctx context.Context, a *attempt.Attempt) (run.Action, *run.Job) {
	o := &a.Outcome
	if s.rewinds(ctx, o) {
		return run.Retry, nil
	}
	var programError *launch.ProgramError
	diskFault := a.Fault()
	switch {
	case !o.OK() && fault.Is(diskFault): // for example a full disk: the solver is not the cause
		o.Err = errors.Join(diskFault, o.Err)
		return run.Abort, nil
	case errors.As(o.Err, &programError), !o.OK() && fault.Is(o.Err): // other jobs would fail for it, too
		return run.Abort, nil
	case a.LostOn != "" && o.Class == event.Lost && ctx.Err() == nil: // the run is not to blame, and no policy applies
		s.noteLoss(a)
		return run.Retry, nil
	case !o.OK() && o.Class != run.NotRun && ctx.Err() == nil:
		return s.byPolicy(a)
	}
	return run.LeaveOut, nil
}

// noteLoss notes the machine that was lost under an attempt, or that it had to leave.
func (s *attempts) noteLoss(a *attempt.Attempt) {
	if !a.Left {
		s.lost = append(s.lost, a.LostOn)
	}
	switch s.cut = a.Cut; {
	case a.Outlasted:
		s.blocks++
	case !a.Cut:
		s.blocks = 0
	}
}

// rewinds reports whether the attempt is to be repeated from one of its checkpoints, and prepares the next attempt for
// it.
func (s *attempts) rewinds(ctx context.Context, o *run.Outcome) bool {
	if ctx.Err() != nil {
		return false
	}
	start, err := branch.Rewound(o.Folder)
	if err != nil {
		text := fmt.Sprintf("%s is not made again from a checkpoint: %v", o.Run, err)
		s.pool.Report(s.task.Job, event.Event{Kind: event.Warning, Text: text})
	}
	if err != nil || start == nil {
		return false
	}
	s.task.Start = start
	return true
}

// byPolicy counts a failure of the request, and returns the policy's action. A run that was stopped on command is not
// repeated, and a branch has no other request.
func (s *attempts) byPolicy(a *attempt.Attempt) (run.Action, *run.Job) {
	class := a.Outcome.Class
	s.cut, s.blocks = false, 0
	a.Outcome.Alike = s.alike(a)
	if s.failed[class]++; a.LostOn != "" { // machines were lost under this very request: no retry is left
		s.failed[class] = run.NoRetry
	}
	if a.Outcome.Stopped || class == event.Killed && s.pool.Budget.over() {
		return run.LeaveOut, nil
	}
	policy := s.pool.Policy
	if does, _ := policy.Next(class, s.failed[class], 0); does != run.Retry {
		s.pool.breaker.failed(&a.Outcome, s.failed[class])
	} else if s.request(a).Texts[plugin.InRestart] != "" || !s.futile(&a.Outcome) {
		return run.Retry, nil
	}
	if s.task.Branch != nil {
		return run.LeaveOut, nil
	}
	j := s.task.Job
	j.Request = s.base
	if next := policy.Vary(j, class, a.Outcome.Attempts, a.Description); next != nil {
		return run.Change, next
	}
	does, _ := policy.Next(class, run.NoRetry, len(policy[class]))
	return does, nil
}

// alike counts a failure by its cause, and returns the number; 0: the cause may lie outside the request and its solver,
// or a later run may go on from a checkpoint.
func (s *attempts) alike(a *attempt.Attempt) int {
	o := &a.Outcome
	made, err := record.Brief(o.Folder)
	if err != nil || made.Request.Texts[plugin.InRestart] != "" || !o.SolverFailed() || o.Stopped || o.Beyond ||
		a.LostOn != "" || len(o.Steered) > 0 || s.task.Branch != nil || s.task.Start != nil || fault.Is(o.Err) ||
		o.Class == event.OverLimit && s.pool.Limits.StudyDisk > 0 || surroundings().MatchString(o.Reason()) ||
		s.request(a).Texts[plugin.InRestart] != "" {
		return 0
	}
	if o.Run == s.twin { // it has not reached the limit of silence itself
		return s.hung
	}
	cause := run.Cause(o.Class, o.Reason())
	s.causes[cause]++
	return s.causes[cause]
}

// surroundings matches the reasons of failures that the next run may not meet: no licence, no room on a disk, no
// network, a program or file that is not installed, a lack of the machine.
var surroundings = regex.Lazy(`(?i)licen[cs]e|no space left|disk (is )?full|quota|input/output error|` +
	`stale (nfs )?file handle|connection (refused|reset|timed out)|no route to host|` +
	`error while loading shared libraries|command not found|no such file or directory|permission denied|` +
	`too many open files|cannot allocate memory|resource temporarily unavailable|address already in use|` +
	`not enough space on the disk|network path|forcibly closed`)

// futile reports whether a retry of a failed run is left out: the last retry of an earlier run failed by that cause.
// A crash or a hang may be an accident of a sound solver, so these also need that no run has an answer.
func (s *attempts) futile(o *run.Outcome) bool {
	if o.Class != event.Timeout && slices.ContainsFunc(s.pool.Outcomes(), func(o run.Outcome) bool { return o.OK() }) {
		return false
	}
	earlier, first := s.pool.breaker.open(o)
	if first {
		s.pool.Report(o.Job, event.Event{Kind: event.Warning, Text: fmt.Sprintf(
			"%s: not retried, as the retry %s failed by the same cause; this holds for all further runs", o.Class,
			earlier)})
	}
	return earlier != ""
}

// request returns the request of the next attempt. It starts from the checkpoint chosen by a command or, if no command
// has changed the last attempt, from that attempt's last checkpoint.
func (s *attempts) request(a *attempt.Attempt) plugin.Request {
	if s.task.Start == nil && !record.Touched(a.Outcome.Folder) {
		return attempt.ResumedRequest(s.base, a.Outcome.Folder, a.Description)
	}
	return s.task.Start.Request(s.base)
}

// Run runs the jobs and returns an outcome for each, in the same order. Failed runs are outcomes, not errors. The error
// is the reason why the study ended early: the cause of ctx, or an AbortError. The outcomes are complete even then;
// jobs that did not start have the class NotRun. All processes have ended when Run returns.
func (p *Pool) Run(ctx context.Context, jobs []run.Job) ([]run.Outcome, error) {
	return p.Evaluate(ctx, p.Plan(jobs), p.Make)
}
