package schedule

// Timeline replays jobs whose ends are known: a scheduler with the time of its last change. The zero value begins at 0.
type Timeline struct {
	Scheduler
	Now  float64 // s
	ends ends
}

// EndAt sets when a job that was started ends, s.
func (t *Timeline) EndAt(at float64, job string) { t.ends.push(ending{at, job}) }

// Due returns the time of the next end; false: no job runs.
func (t *Timeline) Due() (at float64, ok bool) {
	if len(t.ends) == 0 {
		return 0, false
	}
	return t.ends[0].at, true
}

// Next ends the job that is due and returns its name. The caller reports it by Ended, once its slot is free.
func (t *Timeline) Next() (job string) {
	e := t.ends.pop()
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

// ends is a heap of the ends of the jobs under way, the first on top.
type ends []ending

func (e *ends) push(x ending) {
	list := append(*e, x)
	for i := len(list) - 1; i > 0 && list[i].at < list[(i-1)/2].at; i = (i - 1) / 2 {
		list[i], list[(i-1)/2] = list[(i-1)/2], list[i]
	}
	*e = list
}

func (e *ends) pop() ending {
	list, last := *e, len(*e)-1
	list[0], list[last] = list[last], list[0]
	for i, child := 0, 1; child < last; i, child = child, 2*child+1 {
		if child+1 < last && list[child+1].at < list[child].at {
			child++
		}
		if list[i].at <= list[child].at {
			break
		}
		list[i], list[child] = list[child], list[i]
	}
	top := list[last]
	list[last] = ending{} // its name is free
	*e = list[:last]
	return top
}
