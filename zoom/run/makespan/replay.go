package makespan

// The schedule once more, under other conditions. Package schedule decides as it did in the study.

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// condition has the changes of a replay.
type condition struct {
	workers  func(measured int) int          // nil: as measured
	duration func(b *batch, t *task) float64 // nil: as measured
	longest  bool                            // the longest task of a batch starts first
	balanced bool                            // the workers of a batch end together
	unlocked bool                            // no other process makes a point of the study
}

// replay returns the study's length under a condition, s. A batch begins as long after the end of the last batch that
// ended before it as it did in the study: the executive's own work is not changed.
func (s *study) replay(c condition) float64 {
	if c.unlocked {
		s = s.withoutLocks()
	}
	ends := make([]float64, len(s.batches))
	// after returns the new time of a measured one at which the executive had been at work since the batches' ends
	after := func(at float64) float64 {
		last, now := 0.0, 0.0
		for i, b := range s.batches {
			if b.end <= at {
				last, now = max(last, b.end), max(now, ends[i])
			}
		}
		gap := at - last
		if c.unlocked {
			gap -= covered(s.locks, last, at)
		}
		return now + gap
	}
	for i, b := range s.batches {
		ends[i] = after(b.begin) + b.replay(c)
	}
	return after(s.length)
}

// withoutLocks returns the study with the jobs that waited for a lock in the batches in which they began to wait.
func (s *study) withoutLocks() *study {
	began := map[string]float64{}
	for _, l := range s.locks {
		began[l.name] = l.begin
	}
	free := *s
	free.batches, free.locks = nil, slices.Clone(s.locks)
	for _, b := range s.batches {
		same := *b
		same.tasks = nil
		free.batches = append(free.batches, &same)
	}
	for i, b := range s.batches {
		for _, t := range b.tasks {
			to := i
			if at, waited := began[t.job]; waited {
				for k, earlier := range s.batches[:i] {
					if at <= earlier.end {
						to = k
						free.locks = append(free.locks, part{t.job, t.begin, t.end}) // its time there is over, too
						break
					}
				}
			}
			free.batches[to].tasks = append(free.batches[to].tasks, t)
		}
	}
	free.batches = slices.DeleteFunc(free.batches, func(b *batch) bool { return len(b.tasks) == 0 })
	return &free
}

// covered returns how much of a time some parts cover.
func covered(parts []part, begin, end float64) (sum float64) {
	sorted := slices.SortedFunc(slices.Values(parts), func(a, b part) int { return cmp.Compare(a.begin, b.begin) })
	for _, p := range sorted {
		if from, to := max(begin, p.begin), min(end, p.end); to > from {
			sum, begin = sum+to-from, to
		}
	}
	return sum
}

// net returns how long a task needs a worker, s.
func (b *batch) net(t *task) float64 {
	if b.nets {
		return t.end - t.begin - t.waited()
	}
	return t.end - t.begin
}

// replay returns the length of a batch under a condition, s.
func (b *batch) replay(c condition) float64 {
	workers := b.workers
	if c.workers != nil {
		workers = max(1, c.workers(workers))
	}
	durations := make([]float64, len(b.tasks))
	sum := 0.0
	for i, t := range b.tasks {
		if durations[i] = b.net(t); c.duration != nil {
			durations[i] = c.duration(b, t)
		}
		sum += durations[i]
	}
	if c.balanced {
		return sum / float64(workers)
	}
	order := make([]int, len(b.tasks))
	for i := range order {
		order[i] = i
	}
	if c.longest {
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(durations[y], durations[x]) })
	}
	return simulate(b.tasks, durations, order, workers)
}

// simulate returns when the last of some tasks ends that queue in an order, s.
func simulate(tasks []*task, durations []float64, order []int, workers int) float64 {
	var queue schedule.Timeline
	jobs := make([]schedule.Job, len(order))
	for k, i := range order {
		jobs[k] = schedule.Job{Name: strconv.Itoa(i), Component: tasks[i].component}
	}
	_, _ = queue.Add(jobs...) // their names differ
	starts, _ := queue.AddSlot(schedule.Slot{Name: "workers", Runs: workers})
	return queue.Run(starts, func(s schedule.Start) {
		i, _ := strconv.Atoi(s.Job)
		queue.EndAt(queue.Now+durations[i], s.Job)
	})
}

// without returns durations in which the attempts of some kind are not made. Attempts may be beside each other. A task
// that is left without an answer by this takes as long as the median of those with one.
func (s *study) without(bad func(*try) bool) func(*batch, *task) float64 {
	usual := s.usual()
	return func(b *batch, t *task) float64 {
		var all, good []part
		answered := false
		for _, x := range t.tries {
			p := part{x.run, x.begin, x.end}
			if all = append(all, p); !bad(x) {
				good = append(good, p)
				answered = answered || x.answers
			}
		}
		switch d := b.net(t); {
		case len(good) == len(all):
			return d
		case answered:
			return max(0, d-covered(all, t.begin, t.end)+covered(good, t.begin, t.end))
		}
		return usual(t.component)
	}
}

// usual returns the median duration of a component's tasks with an answer from runs that had no failed attempt; of all
// its tasks that had runs, if there is none, or of those of all components; s.
func (s *study) usual() func(component string) float64 {
	good, all, every := map[string][]float64{}, map[string][]float64{}, []float64(nil)
	for _, b := range s.batches {
		for _, t := range b.tasks {
			if len(t.tries) > 0 {
				all[t.component], every = append(all[t.component], b.net(t)), append(every, b.net(t))
			}
			if len(t.tries) == 1 && t.tries[0].answers {
				good[t.component] = append(good[t.component], b.net(t))
			}
		}
	}
	usual := map[string]float64{}
	for component, list := range all {
		if len(good[component]) > 0 {
			list = good[component]
		}
		usual[component] = median(list)
	}
	other := median(every)
	return func(component string) float64 {
		if s, known := usual[component]; known {
			return s
		}
		return other
	}
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}
