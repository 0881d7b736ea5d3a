package pool

// The tasks of one call of a pool: the given jobs, and the branches of their runs.

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// batch holds the tasks of one call. One goroutine uses it.
type batch struct {
	number  int64 // in the process
	queue   queue
	book    *BranchBook
	clock   clock.Clock
	leftOut func(j run.Job, why string) run.Outcome
	keep    func(run.Outcome) // of a given job

	tasks []attempt.Task // of the given jobs, then of branches
	out   []run.Outcome  // of each
	index map[string]int // of the tasks, by name

	queued map[string]time.Time // by name of waiting jobs: since when they lack a worker
	held   time.Time            // since when waiting jobs are held; zero: they are not
}

func newBatch(p *Pool) *batch {
	q := queue{room: p.room, live: p.Live, remote: map[string]float64{}}
	return &batch{number: batches.Add(1), queue: q, book: &p.Branches, leftOut: p.leftOut, keep: p.addOutcome,
		index: map[string]int{}, queued: map[string]time.Time{}, clock: p.Clock}
}

// batches counts the batches of all pools of this process.
var batches atomic.Int64

// dequeue returns since when a job that starts has waited for a worker.
func (b *batch) dequeue(job string) time.Time {
	since := b.queued[job]
	delete(b.queued, job)
	return since
}

// follow is [Follow] for a job of the batch. It records for how long the job was in a worker, and had waited for it;
// not so of a job that is put off, which comes again.
func (b *batch) follow(ctx context.Context, p *Pool, t attempt.Task, queued time.Time, evaluate attempt.Evaluator) (
	run.Outcome, error) {
	p.Span(t.Job, queued, event.Event{Name: attempt.SpanQueued, WaitsFor: attempt.WaitsForWorker})
	began := p.Clock.Now()
	o, err := Follow(ctx, t, evaluate)
	if o.Next != nil {
		o.Next.Variation.Since = p.Clock.Now()
	}
	if o.Class != run.NotRun {
		_, workers, _, ofMachines := p.room()
		workers, _ = p.Live.Room(workers, ofMachines)
		p.Span(t.Job, began, event.Event{Name: attempt.SpanSlot,
			Values: map[string]float64{"batch": float64(b.number), "workers": float64(workers)}})
	}
	return o, err
}

// begin queues the given jobs and the known branches, and returns the first starts.
func (b *batch) begin(jobs []run.Job) (starts []schedule.Start, err error) {
	starts, err = b.queue.follow(b.leaveOut)
	for _, j := range jobs {
		more, failed := b.add(attempt.Task{Job: j})
		starts = append(starts, more...)
		if err == nil {
			err = failed
		}
	}
	if err != nil {
		return nil, err
	}
	return append(starts, b.addBranches()...), nil
}

// add queues a task, unless it was dropped, and returns the resulting starts.
func (b *batch) add(t attempt.Task) ([]schedule.Start, error) {
	b.index[t.Name] = len(b.tasks)
	b.tasks = append(b.tasks, t)
	b.out = append(b.out, run.NewOutcome(t.Job, run.NotRun, run.ErrStudyEnded))
	b.queue.remote[t.Name] = t.Remote
	priority, dropped := b.queue.live.Priority(t.Name, t.Remote)
	if dropped != "" {
		b.leaveOut(t.Name, dropped)
		return nil, nil
	}
	b.queued[t.Name] = b.clock.Now()
	return b.queue.Add(schedule.Job{Name: t.Name, Component: t.Component, Priority: priority})
}

// addBranches queues the branches requested of the pool's runs.
func (b *batch) addBranches() (starts []schedule.Start) {
	for _, t := range b.book.tasks() {
		more, err := b.add(t)
		starts = append(starts, more...)
		if err != nil { // its name is another job's
			b.book.report(t.Job, event.Event{Kind: event.Warning,
				Text: fmt.Sprintf("branch %s is not made: %v", t.Name, err)})
		}
	}
	return starts
}

// turn applies changed live settings of the study, and returns the resulting starts.
func (b *batch) turn() []schedule.Start {
	starts, _ := b.queue.follow(b.leaveOut) // its numbers are positive
	return append(starts, b.addBranches()...)
}

// noteHold records for how long waiting jobs were held, at the end of the hold.
func (b *batch) noteHold(p *Pool, goesOn bool) {
	switch held := goesOn && b.queue.held && b.queue.Waiting() > 0; {
	case held && b.held.IsZero():
		b.held = p.Clock.Now()
	case !held && !b.held.IsZero():
		p.Span(run.Job{}, b.held, event.Event{Name: attempt.SpanQueued, WaitsFor: attempt.WaitsForHold})
		for job := range b.queued {
			b.queued[job] = p.Clock.Now()
		}
		b.held = time.Time{}
	}
}

// leaveOut records that a task is not made.
func (b *batch) leaveOut(job, why string) {
	t := b.tasks[b.index[job]]
	o := b.leftOut(t.Job, why)
	b.out[b.index[job]] = o
	if t.Branch != nil {
		b.book.end(t.Branch, o)
	}
}

// end records the outcome of a task, and returns the resulting starts. A branch that ended with the study is made when
// the study is resumed.
func (b *batch) end(o run.Outcome, goesOn bool) []schedule.Start {
	i := b.index[o.Job.Name]
	b.out[i] = o
	switch of := b.tasks[i].Branch; {
	case of == nil:
		b.keep(o)
	case goesOn && o.Err != run.ErrStudyEnded:
		b.book.end(of, o)
	}
	return b.queue.Ended(o.Job.Name)
}
