// Package makespan finds where the time of a study went, from the events of its log alone, and what other conditions
// would have given: it schedules the measured durations once more, by the rules of package schedule.
//
// A job of a study waits in the queue of its batch, then takes a worker. In the worker it looks into the cache, waits
// for what its runs need, makes one attempt or several, and keeps its answer. Logs without spans, of older programs,
// show the attempts only; the rest is derived from these.
package makespan

import (
	"cmp"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Names of the parts of the time. Those of a worker are also the names of spans.
const (
	partSetUp  = "set up"  // from the start of the process to the first report
	partSilent = "silent"  // from the last report to the command to stop
	partStop   = "stop"    // from that command to the end
	partFinish = "finish"  // from the last report to the answer
	partOther  = "other"   // in a worker, and not explained
	partRetry  = "between" // from the end of an attempt to the begin of the next

	partSolve   = "solve"   // the engine
	partPlan    = "plan"    // the runs
	partMap     = "map"     // made of the answers
	partRules   = "rules"   // judge the results
	partResults = "results" // after the last event
	partLock    = "lock"    // another process makes the point
	partHold    = "hold"    // until the jobs are released
	partIdle    = "unknown" // no job in a worker, and no event says why
)

// part is a time that something took.
type part struct {
	name       string
	begin, end float64 // s, from the study's begin
}

func (p part) seconds() float64 { return p.end - p.begin }

// try is an attempt at a job.
type try struct {
	run        string
	begin, end float64
	class      event.Class
	answers    bool // it gave one
	outrun     bool // another attempt beside it decided
	stopped    float64
	first      float64 // its first report, s since its begin; 0: there is none
	last       float64 // its last report, likewise
	silence    float64 // the longest between two reports, or before the answer, s; 0: not recorded
	parts      []part  // spans, then what is derived of them
}

// task is a job in a worker.
type task struct {
	job, component string
	begin, end     float64
	batch          int
	workers        int // of its pool; 0: not recorded
	tries          []*try
	waits          []part // by what it waited for
	parts          []part // outside of the tries
	cached         bool
}

// batch is the tasks that queued together.
type batch struct {
	tasks      []*task // by begin
	begin, end float64
	workers    int
	nets       bool // its tasks wait so much that the pool's workers are not its limit
}

// study has the contents of a log.
type study struct {
	name, command string
	engine        string
	begun         int  // commands that the log has
	ended         bool // the last of them
	length        float64
	tasks         []*task // by begin
	batches       []*batch
	executive     []part // between and around the batches
	locks         []part // named by the jobs that waited
	holds         []part // of all jobs that queued
	queued        []part // waits of jobs for a worker, or for their round
}

// read reads the events of a log, of its last command.
func read(events []event.Event) *study {
	s := &study{}
	first := 0
	for i := range events {
		if events[i].Kind == event.StudyBegun {
			first = i
			s.begun++
		}
		s.ended = events[i].Kind == event.StudyEnded || s.ended && events[i].Kind != event.StudyBegun
	}
	events = slices.DeleteFunc(slices.Clone(events[first:]), func(e event.Event) bool { return e.Time.IsZero() })
	if len(events) == 0 {
		return s
	}
	zero := events[0].Time
	at := func(e *event.Event) float64 { return e.Time.Sub(zero).Seconds() }
	s.name, s.command, s.engine = events[0].Study, events[0].Text, events[0].Name
	r := reader{study: s, at: at, open: map[string]*try{}, waits: map[string][]part{}, outside: map[string][]part{},
		planned: map[string]int{}}
	for i := range events {
		r.take(&events[i])
		s.length = max(s.length, at(&events[i]))
	}
	r.finish()
	s.group()
	s.between(events, at)
	return s
}

// reader gathers tries and tasks from events.
type reader struct {
	*study
	at      func(*event.Event) float64
	open    map[string]*try // by run
	tries   []*try
	waits   map[string][]part // by job
	outside map[string][]part // by job
	planned map[string]int    // by job: number of the group of jobs that were planned together
	groups  int
	last    event.Kind
}

func (r *reader) take(e *event.Event) {
	now := r.at(e)
	switch {
	case e.Kind == event.Planned:
		if r.last != event.Planned {
			r.groups++
		}
		r.planned[e.Run] = r.groups
	case e.Kind == event.Span:
		r.span(e, part{e.Name, max(0, now-e.Wall), now})
	case e.Kind == event.Started && e.Source == event.Host:
		x := &try{run: e.Run, begin: now, end: -1}
		r.open[e.Run], r.tries = x, append(r.tries, x)
	case e.Kind == event.Command && e.Name == "stop" && r.open[e.Run] != nil:
		r.open[e.Run].stopped = now
	case e.Kind == event.Ended && e.Source == event.Host && r.open[e.Run] != nil:
		x := r.open[e.Run]
		x.end, x.class, x.answers, x.outrun = now, e.Class, e.Answers(), e.Outrun != ""
	case e.Kind == event.Ended && e.Cached && e.Run != "":
		r.tasks = append(r.tasks, &task{job: e.Run, component: e.Component, begin: now, end: now, cached: true,
			batch: -r.planned[e.Run]})
	}
	r.last = e.Kind
}

func (r *reader) span(e *event.Event, p part) {
	switch {
	case e.Attempt > 0: // at a job
		if x := r.open[e.Run]; x != nil {
			x.parts = append(x.parts, p)
			if e.Name == attempt.SpanIterate {
				x.first, x.last, x.silence = p.begin-x.begin, p.end-x.begin, e.Values[attempt.ValueSilence]
			}
		}
	case e.Name == attempt.SpanSlot:
		r.tasks = append(r.tasks, &task{job: e.Run, component: e.Component, begin: p.begin, end: p.end,
			batch: int(e.Values["batch"]), workers: int(e.Values["workers"])})
	case e.Name == attempt.SpanQueued && e.WaitsFor == attempt.WaitsForHold:
		p.name = partHold
		r.holds = append(r.holds, p)
	case e.Name == attempt.SpanQueued && (e.WaitsFor == attempt.WaitsForWorker || e.WaitsFor == attempt.WaitsForRound):
		p.name = e.WaitsFor
		r.queued = append(r.queued, p)
	case e.Name == attempt.SpanQueued:
		p.name = cmp.Or(e.WaitsFor, "unknown")
		if p.name == partLock {
			r.locks = append(r.locks, part{e.Run, p.begin, p.end})
		}
		r.waits[e.Run] = append(r.waits[e.Run], p)
	default:
		r.outside[e.Run] = append(r.outside[e.Run], p)
	}
}

// finish gives tries and waits to their tasks. A try outside of all tasks makes a task of its own.
func (r *reader) finish() {
	slots := map[string][]*task{}
	var tasks []*task
	for _, t := range r.tasks {
		if !t.cached {
			slots[t.job], tasks = append(slots[t.job], t), append(tasks, t)
		}
	}
	for _, t := range r.tasks { // of a cached answer the slot is the task, if there is one
		if of := covering(slots[t.job], t.begin); t.cached && of != nil {
			of.cached = true
		} else if t.cached {
			tasks = append(tasks, t)
		}
	}
	for _, x := range r.tries {
		if x.end < 0 {
			x.end = r.length
		}
		x.derive()
		job := record.JobOf(x.run)
		of := covering(slots[job], x.begin)
		if of == nil {
			of = &task{job: job, begin: x.begin, end: x.end, batch: -r.planned[job]}
			slots[job], tasks = append(slots[job], of), append(tasks, of)
		}
		if n := len(of.tries); n == 0 && of.workers == 0 {
			of.begin = min(of.begin, x.begin)
		}
		of.end = max(of.end, x.end)
		of.tries = append(of.tries, x)
	}
	for _, t := range tasks {
		t.waits, t.parts = within(r.waits[t.job], t), within(r.outside[t.job], t)
	}
	r.tasks = tasks
}

// retryGap is the longest time between two attempts at a job that a log without slots shows as one task, s.
const retryGap = 5

// covering returns the task in which a time is; nil: none. A task that was derived extends to the next attempt.
func covering(tasks []*task, at float64) *task {
	for i := len(tasks) - 1; i >= 0; i-- {
		late := 1e-3
		if tasks[i].workers == 0 {
			late = retryGap
		}
		if tasks[i].begin-1e-3 <= at && at <= tasks[i].end+late {
			return tasks[i]
		}
	}
	return nil
}

// within returns the parts that overlap a task, cut to it.
func within(parts []part, t *task) (in []part) {
	for _, p := range parts {
		p.begin, p.end = max(p.begin, t.begin), min(p.end, t.end)
		if p.end > p.begin {
			in = append(in, p)
		}
	}
	return in
}

// derive replaces the spans of a try by parts that follow each other: the process starts, the solver sets up, iterates,
// is silent or finishes, and stops.
func (x *try) derive() {
	now, iterated := x.begin, false
	var list []part
	until := func(name string, end float64) {
		if end = min(end, x.end); end > now {
			list, now = append(list, part{name, now, end}), end
		}
	}
	spans := slices.SortedStableFunc(slices.Values(x.parts), func(a, b part) int {
		return cmp.Compare(a.begin, b.begin)
	})
	var fetch *part
	for i, p := range spans {
		switch p.name {
		case attempt.SpanStart, attempt.SpanCarry:
			until(partSetUp, p.begin)
			until(p.name, p.end)
		case attempt.SpanIterate:
			until(partSetUp, p.begin)
			until(p.name, p.end)
			iterated = true
		case attempt.SpanFetch:
			fetch = &spans[i]
		}
	}
	switch {
	case x.stopped > 0 && x.class != event.Converged:
		until(partSilent, x.stopped)
		until(partStop, x.end)
	case iterated:
		if fetch != nil {
			until(partFinish, fetch.begin)
			until(fetch.name, fetch.end)
		}
		until(partFinish, x.end)
	case len(spans) == 0: // a log without spans
		until("run", x.end)
	default:
		until(partSetUp, x.end)
	}
	x.parts = list
}

// group makes batches of the tasks.
func (s *study) group() {
	slices.SortStableFunc(s.tasks, func(a, b *task) int { return cmp.Compare(a.begin, b.begin) })
	by := map[int]*batch{}
	for _, t := range s.tasks {
		b := by[t.batch]
		if b == nil {
			b = &batch{begin: t.begin}
			by[t.batch] = b
			s.batches = append(s.batches, b)
		}
		b.tasks = append(b.tasks, t)
		b.end, b.workers = max(b.end, t.end), max(b.workers, t.workers)
	}
	for _, b := range s.batches {
		if b.nets = b.waits(); b.workers == 0 || b.nets {
			b.workers = b.concurrent()
		}
	}
}

// waits reports whether the tasks of a batch waited for cores, licences, memory or nodes so much that these are its
// limit, and not its workers.
func (b *batch) waits() bool {
	waited, all := 0.0, 0.0
	for _, t := range b.tasks {
		waited, all = waited+t.waited(), all+t.end-t.begin
	}
	return waited > 0.02*all
}

// waited is the time for which a task waited for what its runs need.
func (t *task) waited() (sum float64) {
	for _, w := range t.waits {
		if w.name != partLock {
			sum += w.seconds()
		}
	}
	return sum
}

// concurrent returns the largest number of tasks under way at a time. While they wait for cores, licences or nodes,
// they do not count.
func (b *batch) concurrent() int {
	type change struct {
		at float64
		by int
	}
	var changes []change
	for _, t := range b.tasks {
		begin := t.begin
		for _, w := range t.waits {
			if w.name != partLock {
				begin = max(begin, w.end)
			}
		}
		changes = append(changes, change{begin, 1}, change{max(begin, t.end), -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), a.by-b.by) })
	now, most := 0, 1
	for _, c := range changes {
		now += c.by
		most = max(most, now)
	}
	return most
}
