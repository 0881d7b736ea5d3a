// Package schedule decides which job runs next, and in which slot. It is a state machine: it has no clock, starts no
// goroutine and reads no file. Its owner reports each change (a slot was added or removed, a job added or withdrawn, a
// run ended) and gets the jobs to start, each with its slot. The same reports in the same order give the same answers.
//
// # Order
//
// A place serves components in turn: first the component whose runs hold the fewest cores; of several, the component
// served longest ago. So a component with a thousand points does not block a component with five. Within a component
// the higher priority comes first, then the earlier job.
//
// A job takes the first slot, by name, that has room for it. Smaller jobs pass a job for which no slot has room, but at
// most [Patience] times. Then the job reserves the first slot that is large enough; this slot takes no other job until
// the reserving job fits. So every job starts in the end, provided that runs end and that jobs of higher priority do
// not arrive for ever. Patience counts starts, not time.
//
// # Limits
//
// The runs of a slot never need more cores, memory or licences than it has, and are never more than its Runs. A job
// that is too large for every slot waits until a larger slot is added; Stuck lists such jobs.
package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Amount is the capacity of a slot or the need of a job.
type Amount struct {
	Cores    int
	Memory   int64          // bytes
	Licences map[string]int // by name
}

// Slot is a host, or a part of a host.
type Slot struct {
	Name string
	Runs int // at a time, at most; 0: limited by the amounts only
	Amount
}

// Job is one run to be started.
type Job struct {
	Name      string // unique in the place
	Component string // its cores count in this component's share
	Priority  int    // higher first
	Needs     Amount // zero: not needed
}

// Start is a job to start, and its slot.
type Start struct {
	Job  string
	Slot string
}

// Patience is how often other jobs may pass a job before a slot is reserved for it.
const Patience = 16

// Scheduler is the state of all slots and jobs. The zero value has none and is ready to use. It is for one goroutine.
type Scheduler struct {
	slots   []*slot // by name
	waiting []*job  // in the order in which they were added
	running map[string]*job
	served  map[string]int // by component: when it was last served, in starts
	starts  int
	added   int
}

type slot struct {
	Slot
	removed bool   // no job starts here; forgotten when its last run ends
	runs    int    // number of runs
	used    Amount // by the runs
}

type job struct {
	Job
	order  int   // number in the order of addition
	passed int   // number of times that other jobs passed it
	at     *slot // where it runs
}

// Add adds jobs and returns the resulting starts. The error names a refused job; the jobs before it were added.
func (p *Scheduler) Add(jobs ...Job) ([]Start, error) {
	for _, j := range jobs {
		if err := p.check(j); err != nil {
			return p.next(), err
		}
		p.added++
		p.waiting = append(p.waiting, &job{Job: j, order: p.added})
	}
	return p.next(), nil
}

func (p *Scheduler) check(j Job) error {
	same := func(w *job) bool { return w.Name == j.Name }
	switch {
	case slices.ContainsFunc(p.waiting, same) || p.running[j.Name] != nil:
		return fmt.Errorf("job %q waits or runs already", j.Name)
	case j.Needs.negative():
		return fmt.Errorf("job %q needs a negative amount", j.Name)
	}
	return nil
}

// Withdraw removes a job that has not started. It reports whether the job was waiting.
func (p *Scheduler) Withdraw(name string) (waited bool, starts []Start) {
	n := len(p.waiting)
	p.waiting = slices.DeleteFunc(p.waiting, func(j *job) bool { return j.Name == name })
	return len(p.waiting) < n, p.next()
}

// Rank changes the priorities of the jobs that have not started. It starts no job.
func (p *Scheduler) Rank(priority func(job string) int) {
	for _, j := range p.waiting {
		j.Priority = priority(j.Name)
	}
}

// WaitingJobs returns the names of the jobs that have not started, in the order in which they were added.
func (p *Scheduler) WaitingJobs() []string {
	names := make([]string, len(p.waiting))
	for i, j := range p.waiting {
		names[i] = j.Name
	}
	return names
}

// AddSlot adds a slot, or changes the slot with the name. A slot that shrinks keeps its runs.
func (p *Scheduler) AddSlot(s Slot) ([]Start, error) {
	if s.negative() || s.Runs < 0 {
		return p.next(), fmt.Errorf("slot %q has a negative amount", s.Name)
	}
	i, known := slices.BinarySearchFunc(p.slots, s.Name,
		func(x *slot, name string) int { return cmp.Compare(x.Name, name) })
	if known {
		p.slots[i].Slot, p.slots[i].removed = s, false
	} else {
		p.slots = slices.Insert(p.slots, i, &slot{Slot: s})
	}
	return p.next(), nil
}

// RemoveSlot removes a slot: no job starts there from now on. Its runs count as running until Ended reports them, even
// if they were lost with their host.
func (p *Scheduler) RemoveSlot(name string) []Start {
	for _, s := range p.slots {
		if s.Name == name {
			s.removed = true
		}
	}
	p.dropRemoved()
	return p.next()
}

// dropRemoved forgets removed slots without runs.
func (p *Scheduler) dropRemoved() {
	p.slots = slices.DeleteFunc(p.slots, func(s *slot) bool { return s.removed && s.runs == 0 })
}

// Ended reports the end of a run. A job that does not run is ignored.
func (p *Scheduler) Ended(name string) []Start {
	j := p.running[name]
	if j == nil {
		return p.next()
	}
	delete(p.running, name)
	j.at.runs--
	j.at.used = j.at.used.plus(j.Needs, -1)
	p.dropRemoved()
	return p.next()
}

// Waiting returns the number of jobs that have not started.
func (p *Scheduler) Waiting() int { return len(p.waiting) }

// Idle reports whether no job waits and a slot has room.
func (p *Scheduler) Idle() bool {
	return len(p.waiting) == 0 && slices.ContainsFunc(p.slots, func(s *slot) bool { return s.hasRoom(Amount{}) })
}

// Running returns the jobs that run, sorted by name, each with its slot.
func (p *Scheduler) Running() []Start {
	var out []Start
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		out = append(out, Start{name, p.running[name].at.Name})
	}
	return out
}

// Stuck returns the waiting jobs that are too large for every slot, even if it is empty.
func (p *Scheduler) Stuck() []string {
	var out []string
	for _, j := range p.waiting {
		if !slices.ContainsFunc(p.slots, func(s *slot) bool { return s.couldHold(j.Needs) }) {
			out = append(out, j.Name)
		}
	}
	return out
}

// next starts all jobs that can start now.
func (p *Scheduler) next() []Start {
	var starts []Start
	for {
		if !slices.ContainsFunc(p.slots, func(s *slot) bool { return s.hasRoom(Amount{}) }) {
			return starts
		}
		j, s := p.choose()
		if j == nil {
			return starts
		}
		p.begin(j, s)
		starts = append(starts, Start{j.Name, s.Name})
	}
}

// choose returns the job to start next and its slot, or nil.
func (p *Scheduler) choose() (*job, *slot) {
	reserved := map[*slot]bool{} // by jobs that were passed Patience times
	var passed []*job            // by the chosen job
	for _, j := range p.ordered() {
		var fit *slot
		for _, s := range p.slots {
			if !reserved[s] && s.hasRoom(j.Needs) {
				fit = s
				break
			}
		}
		if fit != nil {
			for _, o := range passed {
				o.passed++
			}
			return j, fit
		}
		passed = append(passed, j)
		if j.passed >= Patience {
			for _, s := range p.slots {
				if !reserved[s] && s.couldHold(j.Needs) {
					reserved[s] = true
					break
				}
			}
		}
	}
	return nil, nil
}

// ordered returns the waiting jobs in the order of service: first jobs passed Patience times, the oldest first, then
// the others by their component's share.
func (p *Scheduler) ordered() []*job {
	held := map[string]int{}
	for _, j := range p.running {
		held[j.Component] += max(1, j.Needs.Cores)
	}
	list := slices.Clone(p.waiting)
	slices.SortFunc(list, func(a, b *job) int {
		lateA, lateB := a.passed >= Patience, b.passed >= Patience
		switch {
		case lateA && lateB:
			return cmp.Compare(a.order, b.order)
		case lateA:
			return -1
		case lateB:
			return 1
		case a.Component != b.Component:
			return cmp.Or(
				cmp.Compare(held[a.Component], held[b.Component]),
				cmp.Compare(p.served[a.Component], p.served[b.Component]),
				cmp.Compare(a.Component, b.Component),
			)
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.order, b.order))
	})
	return list
}

func (p *Scheduler) begin(j *job, s *slot) {
	if p.running == nil {
		p.running, p.served = map[string]*job{}, map[string]int{}
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(w *job) bool { return w == j })
	p.running[j.Name], j.at = j, s
	s.runs++
	s.used = s.used.plus(j.Needs, 1)
	p.starts++
	p.served[j.Component] = p.starts
}

// hasRoom reports whether a slot has room now.
func (s *slot) hasRoom(needs Amount) bool {
	return !s.removed && (s.Runs == 0 || s.runs < s.Runs) && needs.within(s.Amount, s.used)
}

// couldHold reports whether a slot would have room if it were empty.
func (s *slot) couldHold(needs Amount) bool { return !s.removed && needs.within(s.Amount, Amount{}) }

// within reports whether an amount fits into the unused part of a slot. Zero needs are not compared: a slot that shrank
// may use more than it has.
func (a Amount) within(has, used Amount) bool {
	if a.Cores > 0 && used.Cores+a.Cores > has.Cores || a.Memory > 0 && used.Memory+a.Memory > has.Memory {
		return false
	}
	for name, n := range a.Licences {
		if n > 0 && used.Licences[name]+n > has.Licences[name] {
			return false
		}
	}
	return true
}

// plus returns a + sign b.
func (a Amount) plus(b Amount, sign int) Amount {
	sum := Amount{Cores: a.Cores + sign*b.Cores, Memory: a.Memory + int64(sign)*b.Memory,
		Licences: maps.Clone(a.Licences)}
	for name, n := range b.Licences {
		if sum.Licences == nil {
			sum.Licences = map[string]int{}
		}
		sum.Licences[name] += sign * n
	}
	return sum
}

func (a Amount) negative() bool {
	if a.Cores < 0 || a.Memory < 0 {
		return true
	}
	for _, n := range a.Licences {
		if n < 0 {
			return true
		}
	}
	return false
}
