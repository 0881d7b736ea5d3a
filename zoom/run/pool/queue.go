package pool

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// queue holds the waiting jobs of a pool, and follows the launcher's room and the study's live settings.
type queue struct {
	schedule.Scheduler
	room   func() (jobs, most int, changed <-chan struct{}, ofMachines bool) // of the launcher
	live   *live.Settings
	remote map[string]float64 // by job: how far its point is from where the engine works

	taken   int // number of attempts beside others
	held    bool
	most    int             // jobs that can be made at a time; more may be under way, and wait for a machine
	other   <-chan struct{} // closed when the launcher has other room
	changed <-chan struct{} // closed when the study's live settings have changed
}

// follow withdraws the waiting jobs that are dropped, and calls leftOut with each and the reason; then it updates the
// number of jobs under way and their priorities. It returns the resulting starts. The number is read before the dropped
// jobs: what was dropped before a hold ended does not start.
func (q *queue) follow(leftOut func(job, why string)) ([]schedule.Start, error) {
	runs, fixed := 0, false
	runs, q.most, q.other, fixed = q.room()
	runs, q.changed = q.live.Room(runs, fixed)
	if !fixed {
		q.most = runs
	}
	q.held = runs == 0
	if q.held {
		q.RemoveSlot(record.LocalSlot)
	}
	starts := q.drop(leftOut)
	q.Rank(func(job string) int {
		priority, _ := q.live.Priority(job, q.remote[job])
		return priority
	})
	if q.held {
		return starts, nil
	}
	more, err := q.AddSlot(schedule.Slot{Name: record.LocalSlot, Runs: runs})
	return append(starts, more...), err
}

// idle reports whether no job waits and a further one can be made at once.
func (q *queue) idle() bool { return q.Idle() && !q.held && len(q.Running()) < q.most }

// beside returns the name under which the next attempt beside another takes its room: no job has such a name.
func (q *queue) beside() string { return fmt.Sprint(record.AttemptMark, q.taken) }

// take takes room for an attempt beside another. The queue is idle.
func (q *queue) take(name string) []schedule.Start {
	q.taken++
	_, _ = q.Add(schedule.Job{Name: name}) // its name is new, and nothing else waits
	return nil
}

// drop removes the waiting jobs that are dropped, and calls leftOut with each and the reason. It returns the resulting
// starts.
func (q *queue) drop(leftOut func(job, why string)) (starts []schedule.Start) {
	for _, job := range q.WaitingJobs() {
		if _, why := q.live.Priority(job, 0); why != "" {
			waited, more := q.Withdraw(job)
			starts = append(starts, more...)
			if waited { // and has not just started
				leftOut(job, why)
			}
		}
	}
	return starts
}
