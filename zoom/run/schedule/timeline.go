package schedule

import "container/heap"

// Timeline replays jobs whose ends are known: a scheduler with the time of its last change. The zero value begins at 0.
type Timeline struct {
	Scheduler
	Now  float64 // s
	ends ends
}

// EndAt sets when a job that was started ends, s.
func (t *Timeline) EndAt(at float64, job string) { heap.Push(&t.ends, ending{at, job}) }

// Due returns the time of the next end; false: no job runs.
func (t *Timeline) Due() (at float64, ok bool) {
	if len(t.ends) == 0 {
		return 0, false
	}
	return t.ends[0].at, true
}

// Next ends the job that is due and returns its name. The caller reports it by Ended, once its slot is free.
func (t *Timeline) Next() (job string) {
	e := heap.Pop(&t.ends).(ending)
	t.Now = e.at
	return e.job
}

// Run ends one job after the other until none is left, and returns the time of the last end. begin is called with each
// start, the given ones first, and calls EndAt.
func (t *Timeline) Run(starts []Start, begin func(Start)) float64 {
	for {
		for _, s := range starts {
			begin(s)
		}
		if _, ok := t.Due(); !ok {
			return t.Now
		}
		starts = t.Ended(t.Next())
	}
}

// ending is the end of a job.
type ending struct {
	at  float64
	job string
}

// ends is the ends of the jobs under way, the first on top; it implements [heap.Interface].
type ends []ending

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i].at < e[j].at }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(ending)) }
func (e *ends) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
