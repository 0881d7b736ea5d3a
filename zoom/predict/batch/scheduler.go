package batch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Policy is the order in which a batch system starts its jobs.
type Policy string

const (
	FCFS Policy = "fcfs" // first come, first served
	// EASY lets later jobs start before the head of the queue if, by their requested times, they do not delay it
	// (D. Lifka, The ANL/IBM SP scheduling system, 1995).
	EASY Policy = "easy"
)

// scheduler is the state of a batch system.
type scheduler struct {
	ctx     context.Context
	policy  Policy
	jobs    []Job // that are still to be submitted
	now     float64
	free    int       // processors
	running []running // by their ends
	waiting []entry
	mine    []float64 // starts of the jobs that were added
}

// entry is a job in the queue.
type entry struct {
	Job
	added int // its place among the jobs that were added; -1: of the workload
}

type running struct {
	end, latest float64 // as it ends, and as it was requested
	processors  int
}

// Waits returns how long each of a number of equal jobs waits that are submitted together, at some times spread evenly
// over the workload without its first and last tenth, in which the queue fills and empties. If ctx ends, it fails with
// the cause.
func (s *Site) Waits(ctx context.Context, j Job, number, times int, policy Policy) ([][]float64, error) {
	if j.Processors > s.Processors {
		return nil, fmt.Errorf("a block needs %d processors, and the site of the workload has %d", j.Processors,
			s.Processors)
	}
	begin := s.Jobs[0].Submit
	span := s.Jobs[len(s.Jobs)-1].Submit - begin
	x := &scheduler{ctx: ctx, policy: policy, jobs: s.Jobs, free: s.Processors}
	list := make([][]float64, times)
	for i := range list {
		at := begin + span*(0.1+0.8*(float64(i)+0.5)/float64(times))
		for x.due() <= at && x.advance() {
		}
		list[i] = x.wait(j, number, at)
	}
	return list, context.Cause(ctx)
}

// wait adds jobs to a copy of the system, and returns how long each waits.
func (s *scheduler) wait(j Job, number int, at float64) []float64 {
	x := *s
	x.running, x.waiting = slices.Clone(s.running), slices.Clone(s.waiting)
	x.mine = make([]float64, number)
	j.Submit, j.Runtime = at, j.Requested
	for i := range number {
		x.mine[i] = math.NaN()
		x.waiting = append(x.waiting, entry{j, i})
	}
	x.now = at
	x.start()
	for slices.ContainsFunc(x.mine, math.IsNaN) && x.advance() {
	}
	for i := range x.mine {
		x.mine[i] -= at
	}
	return x.mine
}

// due returns the time of the next submission or end; infinite: there is none.
func (s *scheduler) due() float64 {
	at := math.Inf(1)
	if len(s.jobs) > 0 {
		at = s.jobs[0].Submit
	}
	if len(s.running) > 0 {
		at = min(at, s.running[0].end)
	}
	return at
}

// advance goes to the next time at which jobs end or are submitted, and starts those that can. It returns false, and
// does nothing, if the context has ended.
func (s *scheduler) advance() bool {
	if s.ctx.Err() != nil {
		return false
	}
	s.now = s.due()
	n := 0
	for ; n < len(s.running) && s.running[n].end <= s.now; n++ {
		s.free += s.running[n].processors
	}
	s.running = slices.Delete(s.running, 0, n)
	for len(s.jobs) > 0 && s.jobs[0].Submit <= s.now {
		s.waiting = append(s.waiting, entry{s.jobs[0], -1})
		s.jobs = s.jobs[1:]
	}
	s.start()
	return true
}

// start starts the jobs that can start now.
func (s *scheduler) start() {
	n := 0
	for ; n < len(s.waiting) && s.waiting[n].Processors <= s.free; n++ {
		s.begin(&s.waiting[n])
	}
	s.waiting = slices.Delete(s.waiting, 0, n)
	if s.policy != EASY || len(s.waiting) < 2 || s.free == 0 {
		return
	}
	shadow, spare := s.reserve(s.waiting[0].Processors)
	first := true
	s.waiting = slices.DeleteFunc(s.waiting, func(e entry) bool {
		passes := !first && e.Processors <= s.free && (s.now+e.Requested <= shadow || e.Processors <= spare)
		first = false
		if passes {
			if s.now+e.Requested > shadow {
				spare -= e.Processors
			}
			s.begin(&e)
		}
		return passes
	})
}

// reserve returns when a job can start by the requested times of those that run, and how many processors it then
// leaves.
func (s *scheduler) reserve(processors int) (at float64, spare int) {
	list := slices.Clone(s.running)
	slices.SortFunc(list, func(a, b running) int { return cmp.Compare(a.latest, b.latest) })
	free := s.free
	for _, r := range list {
		if free += r.processors; free >= processors {
			return r.latest, free - processors
		}
	}
	return math.Inf(1), 0 // not reached: no job is larger than the site
}

func (s *scheduler) begin(e *entry) {
	s.free -= e.Processors
	r := running{s.now + e.Runtime, s.now + e.Requested, e.Processors}
	at, _ := slices.BinarySearchFunc(s.running, r, func(a, b running) int { return cmp.Compare(a.end, b.end) })
	s.running = slices.Insert(s.running, at, r)
	if e.added >= 0 {
		s.mine[e.added] = s.now
	}
}
