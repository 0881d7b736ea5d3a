package pool

// The tasks of one call of a pool: the given jobs, and the branches of their runs.

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// batch holds the tasks of one call. One goroutine uses it.
type batch struct {
	queue   queue
	book    *BranchBook
	leftOut func(j run.Job, why string) run.Outcome
	keep    func(run.Outcome) // of a given job

	tasks []attempt.Task // of the given jobs, then of branches
	out   []run.Outcome  // of each
	index map[string]int // of the tasks, by name
}

func newBatch(p *Pool) *batch {
	q := queue{room: p.room, live: p.Live, remote: map[string]float64{}}
	return &batch{queue: q, book: &p.Branches, leftOut: p.leftOut, keep: p.addOutcome, index: map[string]int{}}
}

// begin queues the given jobs and the known branches, and returns the first starts.
func (b *batch) begin(jobs []run.Job) (starts []schedule.Start, err error) {
	starts, err = b.queue.follow()
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
	starts := b.queue.drop(b.leaveOut)
	more, _ := b.queue.follow()
	return slices.Concat(starts, more, b.addBranches())
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
