package run

// The jobs that a pool has in hand: those that it was given together, and the branches of their runs.

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// batch is for one goroutine.
type batch struct {
	queue   queue
	book    *branchBook
	leftOut func(j Job, why string) Outcome
	keep    func(Outcome) // of a job that was given

	jobs  []Job          // those that were given, then branches
	out   []Outcome      // of each
	index map[string]int // of the jobs, by name
}

// begin queues the jobs that were given, and the branches that are known, and returns what starts.
func (b *batch) begin(jobs []Job) (starts []schedule.Start, err error) {
	starts, err = b.queue.follow()
	for _, j := range jobs {
		more, failed := b.add(j)
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

// add queues a job, unless it was dropped, and returns what starts.
func (b *batch) add(j Job) ([]schedule.Start, error) {
	b.index[j.Name] = len(b.jobs)
	b.jobs = append(b.jobs, j)
	b.out = append(b.out, Outcome{Job: j, Class: NotRun, Err: errStudyEnded})
	b.queue.remote[j.Name] = j.Remote
	priority, dropped := b.queue.course.of(j.Name, j.Remote)
	if dropped != "" {
		b.leaveOut(j.Name, dropped)
		return nil, nil
	}
	return b.queue.Add(schedule.Job{Name: j.Name, Component: j.Component, Priority: priority})
}

// addBranches queues the branches that are wanted of the pool's runs.
func (b *batch) addBranches() (starts []schedule.Start) {
	for _, j := range b.book.jobs() {
		more, err := b.add(j)
		starts = append(starts, more...)
		if err != nil { // its name is another job's
			b.book.report(j,
				event.Event{Kind: event.Warning, Text: fmt.Sprintf("branch %s is not made: %v", j.Name, err)})
		}
	}
	return starts
}

// turn follows the study's course, which has changed, and returns what starts.
func (b *batch) turn() []schedule.Start {
	starts := b.queue.drop(b.leaveOut)
	more, _ := b.queue.follow()
	return slices.Concat(starts, more, b.addBranches())
}

// leaveOut notes that a job is not made.
func (b *batch) leaveOut(job, why string) {
	j := b.jobs[b.index[job]]
	o := b.leftOut(j, why)
	b.out[b.index[job]] = o
	if j.branch != nil {
		b.book.end(j.branch, o)
	}
}

// end notes the outcome of a job, and returns what starts. A branch that ended with the study is made when that goes
// on.
func (b *batch) end(o Outcome, goesOn bool) []schedule.Start {
	i := b.index[o.name]
	b.out[i] = o
	switch of := b.jobs[i].branch; {
	case of == nil:
		b.keep(o)
	case goesOn && o.Err != errStudyEnded:
		b.book.end(of, o)
	}
	return b.queue.Ended(o.name)
}
