package makespan

// The report on a study: where its time went, dearest first.

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Report is where the time of a study went, and what would have been faster. Times are in seconds.
type Report struct {
	Study     string    `json:"study"`
	Commands  int       `json:"commands"`  // in the log; the report is on the last
	Span      float64   `json:"span"`      // from the command's first event to the last
	Explained float64   `json:"explained"` // share of the span
	Cause     Cause     `json:"cause"`
	Causes    []Cause   `json:"causes"`    // all that cost time, dearest first
	Parts     []Part    `json:"parts"`     // of the time of workers, dearest first
	Executive []Part    `json:"executive"` // of the time without a job in a worker, dearest first
	Workers   Workers   `json:"workers"`
	Queue     Queue     `json:"queue"`
	Critical  []Step    `json:"critical"` // path, by time; its steps fill the span
	Retries   []Retried `json:"retries"`  // by class, dearest first
	Replay    Replay    `json:"replay"`
	Advice    []string  `json:"advice"`
}

// Part is the time of a kind. Class is that of the attempts if they failed.
type Part struct {
	Name    string      `json:"name"`
	Class   event.Class `json:"class,omitempty"`
	Seconds float64     `json:"seconds"`
	Share   float64     `json:"share"`
}

// Title is the name with the class.
func (p *Part) Title() string {
	if p.Class == "" {
		return p.Name
	}
	return p.Name + ", " + string(p.Class)
}

// Workers is the use of the workers, summed over the batches of the study.
type Workers struct {
	Number int     `json:"number"` // most at a time
	Used   float64 `json:"used"`   // share of their time
	Idle   float64 `json:"idle"`   // s of one worker, from the begin of a batch to its end
	Tasks  int     `json:"tasks"`
	Cached int     `json:"cached"` // of the tasks
	Runs   int     `json:"runs"`   // attempts
}

// Queue is the waiting of tasks.
type Queue struct {
	Mean  float64            `json:"mean"`  // tasks that wait for a worker, over the time of the batches
	Most  float64            `json:"most"`  // wait for a worker, s
	Waits map[string]float64 `json:"waits"` // of tasks, by what they wait for, s
}

// Step is a part of the critical path: if it were shorter, the study would be.
type Step struct {
	Run     string  `json:"run,omitempty"` // empty: the executive
	Reason  string  `json:"reason"`
	Begin   float64 `json:"begin"`
	Seconds float64 `json:"seconds"`
	task    *task
}

// Retried is the attempts that failed in a class.
type Retried struct {
	Class    event.Class `json:"class"`
	Attempts int         `json:"attempts"`
	Followed int         `json:"followed"` // by another attempt
	Seconds  float64     `json:"seconds"`  // of workers
}

// Replay is what other conditions would have given: the length of the study, s.
type Replay struct {
	Same         float64         `json:"same"` // conditions as in the study
	Workers      map[int]float64 `json:"workers"`
	NoFailures   float64         `json:"no_failures"`
	WarmCache    float64         `json:"warm_cache"`
	LongestFirst float64         `json:"longest_first"`
	Balanced     float64         `json:"balanced"`
}

// Of reports on the events of a study's log.
func Of(events []event.Event) *Report {
	s := read(events)
	r := &Report{Study: s.name, Commands: s.begun, Span: s.length, Queue: Queue{Waits: map[string]float64{}},
		Executive: parts(s.executive, s.length)}
	r.workers(s)
	r.retries(s)
	r.Critical = s.critical()
	unknown := 0.0
	for _, x := range r.Critical {
		if x.Reason == partIdle {
			unknown += x.Seconds
		}
		if x.task != nil {
			unknown += x.task.sum(map[Part]float64{})
		}
	}
	r.Explained = 1
	if s.length > 0 {
		r.Explained = 1 - unknown/s.length
	}
	r.replays(s)
	r.causes(s)
	return r
}

// parts sums parts by name.
func parts(list []part, all float64) []Part {
	sums := map[Part]float64{}
	for _, p := range list {
		sums[Part{Name: p.name}] += p.seconds()
	}
	return ranked(sums, all)
}

// ranked lists sums, the largest first, with their shares of a total.
func ranked(sums map[Part]float64, all float64) []Part {
	list := []Part{}
	for p, seconds := range sums {
		if p.Seconds = seconds; all > 0 {
			p.Share = seconds / all
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Class, b.Class))
	})
	return list
}

// workers fills in the parts of the time of workers, their use, and the queue.
func (r *Report) workers(s *study) {
	sums, all, room, queued, busy := map[Part]float64{}, 0.0, 0.0, 0.0, 0.0
	for _, b := range s.batches {
		r.Workers.Number = max(r.Workers.Number, b.workers)
		busy += b.end - b.begin
		room += float64(b.workers) * (b.end - b.begin)
		for _, t := range b.tasks {
			r.Workers.Tasks++
			r.Workers.Runs += len(t.tries)
			if t.cached {
				r.Workers.Cached++
			}
			all += b.net(t) + t.beside()
			queued += t.begin - b.begin
			r.Queue.Most = max(r.Queue.Most, t.begin-b.begin)
			for _, w := range t.waits {
				r.Queue.Waits[w.name] += w.seconds()
			}
			t.sum(sums)
		}
	}
	total := 0.0
	for _, p := range ranked(sums, 0) {
		total += p.Seconds
	}
	for _, p := range s.queued {
		r.Queue.Waits[p.name] += p.seconds()
	}
	r.Parts = ranked(sums, total)
	if room > 0 {
		r.Workers.Used, r.Workers.Idle = min(1, all/room), max(0, room-all)
	}
	if busy > 0 {
		r.Queue.Mean = queued / busy
	}
}

// sum adds the parts of a task's time. It returns the time without a part.
func (t *task) sum(sums map[Part]float64) (left float64) {
	left = t.end - t.begin + t.beside()
	put := func(p part, class event.Class) {
		sums[Part{Name: p.name, Class: class}] += p.seconds()
		left -= p.seconds()
	}
	for _, p := range t.waits {
		put(part{"wait for " + p.name, p.begin, p.end}, "")
	}
	for _, p := range t.parts {
		put(p, "")
	}
	now := t.begin
	for i, x := range t.tries {
		class := x.class
		if x.answers {
			class = ""
		}
		for _, p := range x.parts {
			put(p, class)
		}
		if i > 0 && x.begin > now {
			put(part{partRetry, now, x.begin}, "")
		}
		now = max(now, x.end)
	}
	if left > 1e-6 {
		sums[Part{Name: partOther}] += left
	}
	return max(0, left)
}

// beside returns for how long further workers had attempts at a task beside others, s.
func (t *task) beside() (sum float64) {
	now := t.begin
	for _, x := range t.tries {
		sum += max(0, min(now, x.end)-x.begin)
		now = max(now, x.end)
	}
	return sum
}

// retries fills in the failed attempts.
func (r *Report) retries(s *study) {
	by := map[event.Class]*Retried{}
	for _, t := range s.tasks {
		for i, x := range t.tries {
			if x.answers || x.class == "" || x.outrun {
				continue
			}
			of := by[x.class]
			if of == nil {
				of = &Retried{Class: x.class}
				by[x.class] = of
			}
			of.Attempts++
			of.Seconds += x.end - x.begin
			if i+1 < len(t.tries) {
				of.Followed++
			}
		}
	}
	r.Retries = []Retried{}
	for _, class := range slices.Sorted(maps.Keys(by)) {
		r.Retries = append(r.Retries, *by[class])
	}
	slices.SortStableFunc(r.Retries, func(a, b Retried) int { return cmp.Compare(b.Seconds, a.Seconds) })
}

// replays fills in the study under other conditions.
func (r *Report) replays(s *study) {
	p := &r.Replay
	p.Same = s.replay(condition{})
	p.Workers = map[int]float64{}
	n, jobs := r.Workers.Number, 0
	for _, b := range s.batches {
		jobs = max(jobs, len(b.tasks))
	}
	for _, k := range []int{1, n - 1, n + 1, 2 * n, jobs} {
		if k > 0 && k != n {
			p.Workers[k] = s.replay(condition{workers: func(int) int { return k }})
		}
	}
	failed := func(x *try) bool { return !x.answers && x.class != "" }
	if p.NoFailures = p.Same; len(r.Retries) > 0 {
		p.NoFailures = s.replay(condition{duration: s.without(failed)})
	}
	p.WarmCache = s.replay(condition{duration: s.warm(), unlocked: true})
	p.LongestFirst = s.replay(condition{longest: true})
	p.Balanced = s.replay(condition{balanced: true})
}

// warm returns durations of tasks whose answers are all in the cache.
func (s *study) warm() func(*batch, *task) float64 {
	var hits []float64
	for _, t := range s.tasks {
		if t.cached {
			hits = append(hits, t.end-t.begin)
		}
	}
	hit := median(hits)
	return func(b *batch, t *task) float64 { return min(hit, b.net(t)) }
}

// critical returns the critical path, the latest step last. From the end backwards: the last task of a batch, the task
// whose worker it got, and so on to the batch's begin; the executive's work; the batch before it.
func (s *study) critical() []Step {
	var path []Step
	step := func(run, reason string, begin, end float64, of *task) {
		if end-begin > 1e-9 {
			path = append(path, Step{run, reason, begin, end - begin, of})
		}
	}
	now, why := s.length, "ends last"
	executive := slices.Clone(s.executive) // by time
	for now > 1e-9 {
		last := s.before(now)
		if last != nil && last.end >= now-1e-9 {
			step(last.job, last.describe()+"; "+why, last.begin, last.end, last)
			now, why = last.begin, "its worker is needed"
			continue
		}
		i := len(executive) - 1
		for i >= 0 && executive[i].begin >= now {
			i--
		}
		executive = executive[:i+1]
		from := 0.0
		if last != nil {
			from = last.end
		}
		switch {
		case i >= 0 && executive[i].end >= now-1e-9 && executive[i].begin >= from-1e-9:
			step("", executive[i].name, executive[i].begin, now, nil)
			now, why = executive[i].begin, "ends last"
		default: // a worker is free, and other jobs are in workers: the pool takes the next
			name := partPlan
			if i >= 0 && executive[i].end < now-1e-9 {
				from = max(from, executive[i].end)
			}
			if now-from > shortGap {
				name = partIdle
			}
			step("", name, from, now, nil)
			now = from
		}
	}
	slices.Reverse(path)
	return path
}

// before returns the task that ends last at a time or before it; nil: none.
func (s *study) before(at float64) (last *task) {
	for _, t := range s.tasks {
		ends := t.end <= at+1e-6 && t.begin < at-1e-9 // and takes the path back
		if ends && t.end > t.begin && (last == nil || t.end > last.end) {
			last = t
		}
	}
	return last
}

// describe names the dearest attempts of a task.
func (t *task) describe() string {
	failed := t.failed()
	switch {
	case t.cached && len(t.tries) == 0:
		return "from the cache"
	case failed == nil:
		return "runs"
	case len(t.tries) > 1:
		return string(failed.class) + ", " + Times(len(t.tries), "attempt")
	}
	return string(failed.class)
}

// failed returns the longest failed attempt; nil: none failed.
func (t *task) failed() (dearest *try) {
	most := math.Inf(-1)
	for _, x := range t.tries {
		if !x.answers && x.class != "" && x.end-x.begin > most {
			dearest, most = x, x.end-x.begin
		}
	}
	return dearest
}
