// Package place decides what runs next, and where. It is a state machine: it has
// no clock, starts no goroutine and reads no file. Its owner reports what happened
// (a slot came or went, work was added or withdrawn, a run ended) and gets back what
// to start where. The same reports in the same order give the same answers.
//
// # Order
//
// A place serves components in turn: first the component whose runs hold the
// least share of all cores, and of equal ones that which was served longest ago. So
// a component with a thousand points does not hold up one with five. Within a
// component the higher priority comes first, then the earlier job.
//
// A job goes to the first slot, by name, that has room for it. A job for which no slot
// has room now is passed over by smaller ones, but not without end: a job that was
// passed over [Patience] times reserves the first slot that is big enough, which then
// takes nothing else until the job fits. So nothing starves, as long as runs end and
// no component is given higher priorities without end. Time plays no part: patience
// counts starts.
//
// # Limits
//
// No slot holds runs that need more cores, memory or licences together than it
// has, and no more runs than its Runs. A job that no known slot could hold even if it
// were empty waits for a slot to come; Stuck lists such jobs.
package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Amount is what a slot has or a job needs.
type Amount struct {
	Cores    int
	Memory   int64          // bytes
	Licences map[string]int // by name
}

// Slot is somewhere to run: a host, or a part of one.
type Slot struct {
	Name string
	Runs int // at a time, at most; 0: as many as the amounts allow
	Amount
}

// Job is one run that is wanted.
type Job struct {
	Name      string // unlike all others of the place
	Component string // whose share of the cores it counts against
	Priority  int    // higher first
	Needs     Amount // a need that is zero is none: it fits anywhere
}

// Start is what to start where.
type Start struct {
	Job  string
	Slot string
}

// Patience is how often a job may be passed over by others before a slot is kept free for it.
const Patience = 16

// Place is the state. The zero value is empty and ready. It is for one goroutine.
type Place struct {
	slots   []*slot // by name
	waiting []*job  // in the order in which they were added
	running map[string]*job
	served  map[string]int // by component: when it was last served, in starts
	starts  int
	added   int
}

type slot struct {
	Slot
	gone bool // takes nothing new; forgotten with its last run
	runs int
	used Amount
}

type job struct {
	Job
	order  int
	passed int
	at     *slot
}

// Add adds work.
func (p *Place) Add(jobs ...Job) ([]Start, error) {
	for _, j := range jobs {
		if err := p.check(j); err != nil {
			return p.next(), err
		}
		p.added++
		p.waiting = append(p.waiting, &job{Job: j, order: p.added})
	}
	return p.next(), nil
}

func (p *Place) check(j Job) error {
	same := func(w *job) bool { return w.Name == j.Name }
	switch {
	case slices.ContainsFunc(p.waiting, same) || p.running[j.Name] != nil:
		return fmt.Errorf("job %q waits or runs already", j.Name)
	case j.Needs.negative():
		return fmt.Errorf("job %q needs less than nothing", j.Name)
	}
	return nil
}

// Withdraw takes a job back that has not started. It reports whether the job waited.
func (p *Place) Withdraw(name string) (waited bool, starts []Start) {
	n := len(p.waiting)
	p.waiting = slices.DeleteFunc(p.waiting, func(j *job) bool { return j.Name == name })
	return len(p.waiting) < n, p.next()
}

// Come adds a slot, or changes that of the same name. A slot that shrinks keeps its runs.
func (p *Place) Come(s Slot) ([]Start, error) {
	if s.negative() || s.Runs < 0 {
		return p.next(), fmt.Errorf("slot %q has less than nothing", s.Name)
	}
	i, known := slices.BinarySearchFunc(p.slots, s.Name, func(x *slot, name string) int { return cmp.Compare(x.Name, name) })
	if known {
		p.slots[i].Slot, p.slots[i].gone = s, false
	} else {
		p.slots = slices.Insert(p.slots, i, &slot{Slot: s})
	}
	return p.next(), nil
}

// Go withdraws a slot. Nothing starts there any more; what runs there runs until
// Ended reports its end, as a run that was lost with its host ended, too.
func (p *Place) Go(name string) []Start {
	for _, s := range p.slots {
		if s.Name == name {
			s.gone = true
		}
	}
	p.forget()
	return p.next()
}

// forget drops slots that are gone and empty.
func (p *Place) forget() {
	p.slots = slices.DeleteFunc(p.slots, func(s *slot) bool { return s.gone && s.runs == 0 })
}

// Ended reports that a run has ended. One that does not run is ignored.
func (p *Place) Ended(name string) []Start {
	j := p.running[name]
	if j == nil {
		return p.next()
	}
	delete(p.running, name)
	j.at.runs--
	j.at.used = j.at.used.plus(j.Needs, -1)
	p.forget()
	return p.next()
}

// Waiting is the number of jobs that have not started.
func (p *Place) Waiting() int { return len(p.waiting) }

// Running are the jobs that run, each with its slot, by name of the job.
func (p *Place) Running() []Start {
	var out []Start
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		out = append(out, Start{name, p.running[name].at.Name})
	}
	return out
}

// Stuck are the jobs that wait and that no slot could hold even if it were empty.
func (p *Place) Stuck() []string {
	var out []string
	for _, j := range p.waiting {
		if !slices.ContainsFunc(p.slots, func(s *slot) bool { return s.could(j.Needs) }) {
			out = append(out, j.Name)
		}
	}
	return out
}

// next starts all that can start now.
func (p *Place) next() []Start {
	var starts []Start
	for {
		j, s := p.choose()
		if j == nil {
			return starts
		}
		p.begin(j, s)
		starts = append(starts, Start{j.Name, s.Name})
	}
}

// choose returns the job to start next and its slot, or nil.
func (p *Place) choose() (*job, *slot) {
	kept := map[*slot]bool{} // for jobs whose patience has ended
	var over []*job          // that the chosen one passes
	for _, j := range p.ordered() {
		var fit *slot
		for _, s := range p.slots {
			if !kept[s] && s.fits(j.Needs) {
				fit = s
				break
			}
		}
		if fit != nil {
			for _, o := range over {
				o.passed++
			}
			return j, fit
		}
		over = append(over, j)
		if j.passed >= Patience {
			for _, s := range p.slots {
				if !kept[s] && s.could(j.Needs) {
					kept[s] = true
					break
				}
			}
		}
	}
	return nil, nil
}

// ordered are the waiting jobs in the order in which they are to be served: those
// whose patience has ended, by age; then by their component's share.
func (p *Place) ordered() []*job {
	held := map[string]int{}
	for _, j := range p.running {
		held[j.Component] += max(1, j.Needs.Cores)
	}
	return slices.SortedFunc(slices.Values(p.waiting), func(a, b *job) int {
		lateA, lateB := a.passed >= Patience, b.passed >= Patience
		switch {
		case lateA && lateB:
			return cmp.Compare(a.order, b.order)
		case lateA:
			return -1
		case lateB:
			return 1
		}
		return cmp.Or(
			cmp.Compare(held[a.Component], held[b.Component]),
			cmp.Compare(p.served[a.Component], p.served[b.Component]),
			cmp.Compare(a.Component, b.Component),
			cmp.Compare(b.Priority, a.Priority),
			cmp.Compare(a.order, b.order),
		)
	})
}

func (p *Place) begin(j *job, s *slot) {
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

// fits reports whether a slot has room now.
func (s *slot) fits(needs Amount) bool {
	return !s.gone && (s.Runs == 0 || s.runs < s.Runs) && needs.within(s.Amount, s.used)
}

// could reports whether a slot would have room if it were empty.
func (s *slot) could(needs Amount) bool { return !s.gone && needs.within(s.Amount, Amount{}) }

// within reports whether an amount is left where some of it is used. What is not needed
// is within anything: a slot that shrank holds more than it has.
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

// plus adds another amount, sign times.
func (a Amount) plus(b Amount, sign int) Amount {
	sum := Amount{Cores: a.Cores + sign*b.Cores, Memory: a.Memory + int64(sign)*b.Memory, Licences: maps.Clone(a.Licences)}
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
