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
	"math"
	"math/bits"
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
	Kind      string // jobs of a kind take equally long; see Scheduler.Fits
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
	// Fits reports whether a slot lasts long enough for jobs of a kind; nil: each does.
	Fits func(kind, slot string) bool

	slots      []*slot // by name
	placed     int     // slots that know their places
	jobs       map[string]*job
	components []*component
	late       []*job // that wait and were passed Patience times, the oldest first
	needs      []*need
	waiting    int // jobs
	starts     int
	added      int
	chosen     int // calls of choose
	order      [][]*job
	unused     []job // rest of the last block of jobs
}

// component is the jobs of a component.
type component struct {
	name    string
	waiting []*job // that are not late, by priority, then the oldest first
	held    int    // cores of its running jobs
	served  int    // when it was last served, in starts
}

// need is the jobs of a kind with equal needs: where one of them has no room, none has.
type need struct {
	Amount
	kind    string
	waiting int      // jobs
	failed  int      // the last call of choose in which no slot had room
	open    []uint64 // a bit of each slot that may have room, by its place; nil: all may
}

type slot struct {
	Slot
	place   int
	removed bool   // no job starts here; forgotten when its last run ends
	runs    int    // number of runs
	used    Amount // by the runs
}

type job struct {
	Job
	order  int   // number in the order of addition
	passed int   // number of times that other jobs passed it
	at     *slot // where it runs; nil: it waits
	of     *component
	need   *need
}

// Add adds jobs and returns the resulting starts. The error names a refused job; the jobs before it were added.
func (p *Scheduler) Add(jobs ...Job) ([]Start, error) {
	for _, j := range jobs {
		if err := p.check(j); err != nil {
			return p.next(), err
		}
		p.enter(j)
	}
	return p.next(), nil
}

func (p *Scheduler) check(j Job) error {
	switch {
	case p.jobs[j.Name] != nil:
		return fmt.Errorf("job %q waits or runs already", j.Name)
	case j.Needs.negative():
		return fmt.Errorf("job %q needs a negative amount", j.Name)
	}
	return nil
}

// enter adds a waiting job.
func (p *Scheduler) enter(j Job) {
	if len(p.unused) == 0 {
		p.unused = make([]job, min(max(8, p.added), 256))
	}
	w := &p.unused[0]
	p.unused = p.unused[1:]
	p.added++
	w.Job, w.order = j, p.added
	i := slices.IndexFunc(p.components, func(c *component) bool { return c.name == j.Component })
	if i < 0 {
		i, p.components = len(p.components), append(p.components, &component{name: j.Component})
	}
	k := slices.IndexFunc(p.needs, func(n *need) bool { return n.kind == j.Kind && n.equal(j.Needs) })
	if k < 0 {
		k, p.needs = len(p.needs), append(p.needs, &need{Amount: j.Needs, kind: j.Kind})
	}
	w.of, w.need = p.components[i], p.needs[k]
	w.need.waiting++
	p.waiting++
	if p.jobs == nil {
		p.jobs = map[string]*job{}
	}
	p.jobs[j.Name] = w
	w.of.insert(w)
}

// insert adds a job that is not late.
func (c *component) insert(j *job) {
	at := len(c.waiting)
	if at > 0 && byPriority(j, c.waiting[at-1]) < 0 {
		at, _ = slices.BinarySearchFunc(c.waiting, j, byPriority)
	}
	c.waiting = slices.Insert(c.waiting, at, j)
}

func byPriority(a, b *job) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.order, b.order))
}

func byOrder(a, b *job) int { return cmp.Compare(a.order, b.order) }

// leave removes a job from the waiting ones.
func (p *Scheduler) leave(j *job) {
	list, order := &j.of.waiting, byPriority
	if j.passed >= Patience {
		list, order = &p.late, byOrder
	}
	if at, _ := slices.BinarySearchFunc(*list, j, order); at == 0 {
		(*list)[0], *list = nil, (*list)[1:]
	} else {
		*list = slices.Delete(*list, at, at+1)
	}
	p.waiting--
	if j.need.waiting--; j.need.waiting == 0 {
		p.needs = slices.DeleteFunc(p.needs, func(n *need) bool { return n == j.need })
	}
}

// Withdraw removes a job that has not started. It reports whether the job was waiting.
func (p *Scheduler) Withdraw(name string) (waited bool, starts []Start) {
	j := p.jobs[name]
	if waited = j != nil && j.at == nil; waited {
		p.leave(j)
		delete(p.jobs, name)
	}
	return waited, p.next()
}

// Rank changes the priorities of the jobs that have not started. It starts no job.
func (p *Scheduler) Rank(priority func(job string) int) {
	for _, j := range p.jobs {
		if j.at == nil {
			j.Priority = priority(j.Name)
		}
	}
	for _, c := range p.components {
		slices.SortFunc(c.waiting, byPriority)
	}
}

// waitingJobs returns the jobs that have not started, in the order in which they were added.
func (p *Scheduler) waitingJobs() []*job {
	list := slices.Clone(p.late)
	for _, c := range p.components {
		list = append(list, c.waiting...)
	}
	slices.SortFunc(list, byOrder)
	return list
}

// WaitingJobs returns the names of the jobs that have not started, in the order in which they were added.
func (p *Scheduler) WaitingJobs() []string {
	names := make([]string, 0, p.waiting)
	for _, j := range p.waitingJobs() {
		names = append(names, j.Name)
	}
	return names
}

// AddSlot adds a slot, or changes the slot with the name. A slot that shrinks keeps its runs.
func (p *Scheduler) AddSlot(s Slot) ([]Start, error) {
	if s.negative() || s.Runs < 0 {
		return p.next(), fmt.Errorf("slot %q has a negative amount", s.Name)
	}
	i, known := p.find(s.Name)
	if known {
		p.slots[i].Slot, p.slots[i].removed = s, false
	} else {
		p.slots = slices.Insert(p.slots, i, &slot{Slot: s})
	}
	p.changed(i)
	return p.next(), nil
}

func (p *Scheduler) find(slotName string) (place int, known bool) {
	return slices.BinarySearchFunc(p.slots, slotName,
		func(x *slot, name string) int { return cmp.Compare(x.Name, name) })
}

// RemoveSlot removes a slot: no job starts there from now on. Its runs count as running until Ended reports them, even
// if they were lost with their host.
func (p *Scheduler) RemoveSlot(name string) []Start {
	if i, known := p.find(name); known {
		p.slots[i].removed = true
		p.drop(i)
	}
	return p.next()
}

// drop forgets the slot at a place, if it is removed and without runs.
func (p *Scheduler) drop(i int) {
	if s := p.slots[i]; s.removed && s.runs == 0 {
		p.slots = slices.Delete(p.slots, i, i+1)
		p.changed(i)
	}
}

// changed notes that slots from a place on have changed.
func (p *Scheduler) changed(from int) {
	p.placed = min(p.placed, from)
	for _, n := range p.needs {
		n.open = nil
	}
}

// Ended reports the end of a run. A job that does not run is ignored.
func (p *Scheduler) Ended(name string) []Start {
	j := p.jobs[name]
	if j == nil || j.at == nil {
		return p.next()
	}
	delete(p.jobs, name)
	j.of.held -= max(1, j.Needs.Cores)
	for _, n := range p.needs {
		if n.open != nil {
			n.open[j.at.place/64] |= 1 << (j.at.place % 64)
		}
	}
	j.at.runs--
	j.at.used = j.at.used.plus(j.Needs, -1)
	if j.at.removed {
		i, _ := p.find(j.at.Name)
		p.drop(i)
	}
	return p.next()
}

// Waiting returns the number of jobs that have not started.
func (p *Scheduler) Waiting() int { return p.waiting }

// Idle reports whether no job waits and a slot has room.
func (p *Scheduler) Idle() bool {
	return p.waiting == 0 && slices.ContainsFunc(p.slots, func(s *slot) bool { return s.hasRoom(&Amount{}) })
}

// Running returns the jobs that run, sorted by name, each with its slot.
func (p *Scheduler) Running() []Start {
	var out []Start
	for _, name := range slices.Sorted(maps.Keys(p.jobs)) {
		if at := p.jobs[name].at; at != nil {
			out = append(out, Start{name, at.Name})
		}
	}
	return out
}

// Stuck returns the waiting jobs that are too large for every slot, even if it is empty.
func (p *Scheduler) Stuck() []string {
	var out []string
	for _, j := range p.waitingJobs() {
		if !slices.ContainsFunc(p.slots, func(s *slot) bool { return s.couldHold(&j.Needs) }) {
			out = append(out, j.Name)
		}
	}
	return out
}

// Resources that a job may lack; see Lacks.
const (
	LacksMemory  = "memory"
	LacksLicence = "licence"
)

// Lacks returns the resource for which a job waits: with no need of it the job would have room now. It is empty if more
// is lacking, or other resources are, and of a job that does not wait.
func (p *Scheduler) Lacks(name string) string {
	j := p.jobs[name]
	if j == nil || j.at != nil {
		return ""
	}
	noMemory, noLicence := j.Needs, j.Needs
	noMemory.Memory, noLicence.Licences = 0, nil
	hasRoom := func(needs *Amount) bool {
		return slices.ContainsFunc(p.slots, func(s *slot) bool { return s.hasRoom(needs) && p.fits(j.Kind, s) })
	}
	switch {
	case hasRoom(&j.Needs): // it is reserved for another job
		return ""
	case hasRoom(&noMemory):
		return LacksMemory
	case hasRoom(&noLicence):
		return LacksLicence
	}
	return ""
}

// next starts all jobs that can start now.
func (p *Scheduler) next() []Start {
	var starts []Start
	for p.waiting > 0 {
		j, s := p.choose()
		if j == nil {
			break
		}
		p.begin(j, s)
		starts = append(starts, Start{j.Name, s.Name})
	}
	return starts
}

// choose returns the job to start next and its slot, or nil.
func (p *Scheduler) choose() (*job, *slot) {
	p.chosen++
	var reserved []*slot // by late jobs
	var passed []*job    // by the chosen job
	failed := 0          // needs for which no slot has room
	for _, c := range p.served() {
		for _, j := range c {
			if failed == len(p.needs) {
				return nil, nil
			}
			if j.need.failed < p.chosen {
				if s := p.roomFor(j.need, reserved); s != nil {
					p.pass(passed)
					return j, s
				}
				j.need.failed = p.chosen
				failed++
			}
			passed = append(passed, j)
			if j.passed < Patience {
				continue
			}
			for _, s := range p.slots {
				if s.couldHold(&j.Needs) && p.fits(j.Kind, s) && !slices.Contains(reserved, s) {
					reserved = append(reserved, s)
					break
				}
			}
		}
	}
	return nil, nil
}

// roomFor returns the first slot that has room and is not reserved, or nil.
func (p *Scheduler) roomFor(n *need, reserved []*slot) *slot {
	if n.open == nil {
		for ; p.placed < len(p.slots); p.placed++ {
			p.slots[p.placed].place = p.placed
		}
		n.open = slices.Repeat([]uint64{math.MaxUint64}, (len(p.slots)+63)/64)
	}
	for i, open := range n.open {
		for ; open != 0; open &= open - 1 {
			place := 64*i + bits.TrailingZeros64(open)
			if place >= len(p.slots) {
				break
			}
			s := p.slots[place]
			if !s.hasRoom(&n.Amount) {
				n.open[i] &^= 1 << (place % 64)
			} else if !slices.Contains(reserved, s) && p.fits(n.kind, s) {
				return s
			}
		}
	}
	return nil
}

func (p *Scheduler) fits(kind string, s *slot) bool { return p.Fits == nil || p.Fits(kind, s.Name) }

// pass counts that a job passed others.
func (p *Scheduler) pass(list []*job) {
	for _, j := range list {
		if j.passed++; j.passed == Patience {
			at, _ := slices.BinarySearchFunc(j.of.waiting, j, byPriority)
			j.of.waiting = slices.Delete(j.of.waiting, at, at+1)
			at, _ = slices.BinarySearchFunc(p.late, j, byOrder)
			p.late = slices.Insert(p.late, at, j)
		}
	}
}

// served returns the waiting jobs in the order of service: first the late jobs, then the others by their component's
// share.
func (p *Scheduler) served() [][]*job {
	slices.SortFunc(p.components, func(a, b *component) int {
		return cmp.Or(cmp.Compare(a.held, b.held), cmp.Compare(a.served, b.served), cmp.Compare(a.name, b.name))
	})
	p.order = append(p.order[:0], p.late)
	for _, c := range p.components {
		p.order = append(p.order, c.waiting)
	}
	return p.order
}

func (p *Scheduler) begin(j *job, s *slot) {
	p.leave(j)
	j.at = s
	s.runs++
	s.used = s.used.plus(j.Needs, 1)
	p.starts++
	j.of.served = p.starts
	j.of.held += max(1, j.Needs.Cores)
}

// hasRoom reports whether a slot has room now.
func (s *slot) hasRoom(needs *Amount) bool {
	return !s.removed && (s.Runs == 0 || s.runs < s.Runs) && needs.within(&s.Amount, &s.used)
}

// couldHold reports whether a slot would have room if it were empty.
func (s *slot) couldHold(needs *Amount) bool { return !s.removed && needs.within(&s.Amount, &Amount{}) }

// within reports whether an amount fits into the unused part of a slot. Zero needs are not compared: a slot that shrank
// may use more than it has.
func (a *Amount) within(has, used *Amount) bool {
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

func (a Amount) equal(b Amount) bool {
	return a.Cores == b.Cores && a.Memory == b.Memory && maps.Equal(a.Licences, b.Licences)
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
