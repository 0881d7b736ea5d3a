package predict

// The attempts at a run: their times are drawn, and a second one may begin beside the first, as in package pool.

import (
	"math/rand/v2"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// drawn is the times of all attempts at a run, at speed 1.
type drawn struct {
	length float64 // one after the other, s; below 0: it is not needed
	trials []trial // nil: none may be beside another
}

// trial is the time of an attempt.
type trial struct {
	time    float64 // s
	hung    bool
	doubles bool // the next may begin beside it
}

// lengths draws the times of all attempts at each run.
func (g *Graph) lengths(random *rand.Rand, c condition) []drawn {
	common, need := map[string]float64{}, -1.0
	list := make([]drawn, len(g.Runs))
	var source rand.PCG
	own := rand.New(&source)
	for i := range g.Runs {
		r := &g.Runs[i]
		// All numbers are drawn in any case, so that runs keep theirs under other conditions.
		source.Seed(random.Uint64(), random.Uint64())
		z, known := common[r.Solver]
		if !known {
			z = random.NormFloat64()
			common[r.Solver] = z
		}
		if r.Cached {
			continue
		}
		if r.Share > 0 && need < 0 { // for all runs: a study with a late round has all rounds before it
			need = random.Float64()
		}
		if r.Share > 0 && need >= r.Share {
			list[i].length = -1
			continue
		}
		list[i].length = r.Time.draw(own, z)
		if !c.noFailures {
			list[i] = r.attempts(own, z, list[i].length, c)
		}
	}
	return list
}

// mostAttempts ends a run whose policy retries for ever.
const mostAttempts = 1000

// attempts returns the times of all attempts at a run by its policy, where one that answers takes a given time.
func (r *Run) attempts(own *rand.Rand, common, answer float64, c condition) (all drawn) {
	if len(r.Failures) == 0 {
		return drawn{length: answer}
	}
	doubles := false
	add := func(t trial) {
		doubles = doubles || t.doubles
		all.length += t.time
		if r.Second > 0 {
			all.trials = append(all.trials, t)
		}
	}
	defer func() {
		if !doubles {
			all.trials = nil
		}
	}()
	failed, used := map[int]int{}, map[int]int{}
	for range mostAttempts {
		k, u := 0, own.Float64()
		for ; k < len(r.Failures) && u >= r.Failures[k].Rate; k++ {
			u -= r.Failures[k].Rate
		}
		if k == len(r.Failures) {
			add(trial{time: answer})
			return all
		}
		f := &r.Failures[k]
		lost := f.Time.draw(own, common)
		if c.notice > 0 {
			lost *= c.notice
		}
		failed[k]++
		action, step := r.Policy.Next(f.Class, failed[k], used[k])
		hung := f.Class == event.Hung
		add(trial{lost, hung, hung && action == run.Retry && lost > r.Second && r.Second > 0})
		switch action {
		case run.Change:
			used[k] = step + 1
			clear(failed) // another request, without failures so far
		case run.Retry:
		default:
			return all
		}
	}
	return all
}

// release frees the licences of an attempt at a run.
func (s *simulation) release(i int32) {
	if needs := s.cluster.needed(&s.graph.Runs[i]); needs != nil {
		for name, n := range needs {
			s.free[name] += n
		}
		s.last = i
		s.license()
	}
}

// try begins the next attempt at a run.
func (s *simulation) try(i int32) {
	x, r, n := &s.state[i], &s.graph.Runs[i], int32(len(s.graph.Runs))
	speed := s.group(x.node).Speed
	t := &x.trials[0]
	x.due = s.now + t.time/speed
	s.busy += t.time / speed * float64(r.Cores)
	s.time.EndAt(x.due, s.graph.numbers[i])
	if t.doubles {
		s.time.EndAt(s.now+r.Second/speed, strconv.Itoa(int(i+2*n)))
	}
}

// double starts the second attempt at silent runs, beside the first, while nothing waits and there is room: see package
// pool. The one that answers first decides; with the first that hangs the second ends if it is silent for long, too.
func (s *simulation) double() {
	for len(s.silent) > 0 && s.answers && s.time.Idle() {
		i := s.silent[0]
		x, r := &s.state[i], &s.graph.Runs[i]
		needs := s.cluster.needed(r)
		if !s.fits(needs) {
			return
		}
		name := strconv.Itoa(int(i) + len(s.graph.Runs))
		starts, _ := s.time.Add(schedule.Job{Name: name, Component: r.Component,
			Needs: schedule.Amount{Cores: r.Cores, Memory: r.Memory}}) // names differ
		if len(starts) == 0 {
			s.time.Withdraw(name)
			return
		}
		for name, n := range needs {
			s.free[name] -= n
		}
		s.silent = s.silent[1:]
		slot, _ := strconv.Atoi(starts[0].Slot)
		speed := s.group(slot - firstSlot).Speed
		second, first := x.trials[1], x.due
		end := s.now + second.time/speed
		switch {
		case second.hung && first-s.now >= r.Second/speed:
			end, x.due = min(end, first), first
		case second.hung || len(x.trials) == 2:
			x.due = end
		default:
			x.due = max(first, end)
		}
		x.trials = x.trials[1:]
		cores := float64(r.Cores)
		s.busy += (end - s.now + min(0, x.due-first)) * cores
		s.coreTime += (end - s.now) * cores
		x.length -= (first-x.due)*s.group(x.node).Speed + second.time
		s.time.EndAt(x.due, s.graph.numbers[i])
		s.time.EndAt(end, name)
	}
}

// spare ends an attempt beside another.
func (s *simulation) spare(i int32) {
	s.release(i)
	s.time.Now = s.now
	s.begin(s.time.Ended(strconv.Itoa(int(i) + len(s.graph.Runs))))
}
