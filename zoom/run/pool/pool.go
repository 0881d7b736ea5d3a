// Package pool makes runs in parallel: it queues tasks, makes attempts at each, and decides the action after a failure.
package pool

// A pool runs jobs in parallel, each attempt in a process of its own. It returns an outcome for every job, even if the
// study ends early.

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// Pool runs jobs with one solver. Its fields are set before the first call.
type Pool struct {
	attempt.Runner
	Workers int        // runs at a time; default: the number of cores
	Policy  run.Policy // nil leaves every failed run out

	// Record is called for every event, one call at a time. It returns the event, with its number if it is the
	// executive's. Observe is called with the result. Both may be nil.
	Record  func(event.Event) event.Event
	Observe func(event.Event)

	// Licences are the numbers of the launcher's licences that each attempt needs, by name.
	Licences map[string]int
	// Licence is a pool of licences, of which each attempt takes one; nil: none is needed. With it, set Fresh, as an
	// idle process must not hold a licence.
	Licence *licence.Pool
	// Cores is the pool of the machine's cores, shared by all studies. Each attempt takes one core, even if Workers
	// allows more runs; nil: Workers is the only limit.
	Cores *licence.Pool
	// Budget is the budget of the study; nil: no limit.
	Budget *Budget

	once        sync.Once
	mu          sync.Mutex // of all below and of calls to Observe and Monitor
	ended       []run.Outcome
	saidWaiting time.Time        // of the last message that jobs wait for a core
	silences    attempt.Silences // longest ones of runs with an answer
	answers     int              // runs with an answer that cannot go on from a checkpoint
	usual       atomic.Int64     // their mean time, ns; it is read without the lock
	spares      chan func()      // offers of room for an attempt beside another; the function gives it back
	Branches    BranchBook       // has a lock of its own
	breaker     breaker          // has a lock of its own
}

// begin completes the settings.
func (p *Pool) begin() {
	p.once.Do(func() {
		p.SetDefaults()
		p.Deliver, p.Recall, p.spares = p.deliver, p.recall, make(chan func())
		p.Branches.live, p.Branches.study, p.Branches.report = p.Live, p.Host.Folder(), p.Report
	})
}

// Plan records an event for each job before the first job starts, so that readers of the log know the number of runs.
// It returns the jobs with these events.
func (p *Pool) Plan(jobs []run.Job) []run.Job {
	p.begin()
	p.Branches.know(jobs)
	planned := slices.Clone(jobs)
	for i, j := range jobs {
		planned[i].Planned = p.Report(j, event.Event{Kind: event.Planned, Name: j.Name, Cause: j.Cause})
	}
	return planned
}

// Evaluate evaluates every job, and the branches of the pool's runs that are requested meanwhile. Package schedule
// gives the order; at most Workers run at a time.
func (p *Pool) Evaluate(ctx context.Context, jobs []run.Job, evaluate attempt.Evaluator) ([]run.Outcome, error) {
	if err := run.CheckNames(jobs); err != nil {
		return nil, err
	}
	p.begin()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)

	b := newBatch(p)
	starts, err := b.begin(jobs)
	if err != nil {
		return b.out[:len(jobs)], err
	}
	ended, running := make(chan ending), 0
	by := p.Budget.byTimer()
	defer func() { by.Stop() }()
	for {
		if b.queue.held && p.Budget.over() {
			p.Live.Hold(false) // nothing can start any more
		}
		for _, s := range starts {
			if ctx.Err() != nil {
				break
			}
			running++
			p.Logger.Debug("job starts", "job", s.Job, "slot", s.Slot, "waiting", b.queue.Waiting())
			t := b.tasks[b.index[s.Job]]
			queued := b.dequeue(s.Job)
			go func() { // the loop waits for it
				o, err := b.follow(ctx, p, t, queued, evaluate)
				if err != nil {
					abort(err)
				}
				ended <- func(goesOn bool) []schedule.Start { return b.end(o, goesOn) }
			}()
		}
		b.noteHold(p, ctx.Err() == nil)
		var spares chan<- func()
		beside := b.queue.beside()
		if ctx.Err() == nil && b.queue.idle() {
			spares = p.spares
		}
		if running == 0 && (b.queue.Waiting() == 0 || !b.queue.held || ctx.Err() != nil) {
			break
		}
		select {
		case end := <-ended:
			starts = nil
			select {
			case <-b.queue.changed: // before the end: no job starts in its place against it
				starts = b.turn()
			default:
			}
			starts = append(starts, end(ctx.Err() == nil)...)
			running--
		case spares <- func() { ended <- func(bool) []schedule.Start { return b.queue.Ended(beside) } }:
			running++
			starts = b.queue.take(beside)
		case <-by.C:
			if starts = nil; !p.Budget.over() {
				by = p.Budget.byTimer()
			}
		case <-b.queue.other:
			starts = b.turn()
		case <-b.queue.changed:
			starts = b.turn()
		case <-ctx.Done():
			starts = nil
			if running > 0 {
				end := <-ended
				starts = end(false)
				running--
			}
		}
	}
	return b.out[:len(jobs)], context.Cause(ctx)
}

// Refuses returns why the budget does not allow another run of a component, which is wanted; empty: it does.
func (p *Pool) Refuses(component string) string { return p.Budget.refuses(component, p.coresOfRun()) }

// ending enters the end of a job into its batch, and returns the resulting starts.
type ending func(goesOn bool) []schedule.Start

// Follow evaluates a task, then the policy's next jobs with other requests.
func Follow(ctx context.Context, t attempt.Task, evaluate attempt.Evaluator) (run.Outcome, error) {
	for {
		o, err := evaluate(ctx, t)
		if err != nil || o.Next == nil || o.Next.Variation.Waits || ctx.Err() != nil {
			return o, err
		}
		t = attempt.Task{Job: *o.Next, Judged: t.Judged}
	}
}

// leftOut returns the outcome of a job that was dropped before it started.
func (p *Pool) leftOut(j run.Job, why string) run.Outcome {
	o := run.NewOutcome(j, event.Killed, &run.RunError{Run: j.Name, Class: event.Killed, Reason: why})
	o.Ended = p.Report(j, event.Event{Kind: event.Ended, Class: o.Class, Text: why})
	return o
}

// room returns the number of jobs that may be under way, the number that can be made at a time, and a channel that is
// closed when the numbers change. On a launcher with several machines (ofMachines) the first number includes jobs that
// wait for a machine, as many as have one, so that a free machine has work at once.
func (p *Pool) room() (jobs, most int, changed <-chan struct{}, ofMachines bool) {
	if l, ok := p.Host.Launcher.(launch.Placer); ok {
		most, changed = l.Room()
		return max(2*most, leastJobs), most, changed, true
	}
	most = p.Workers
	if most <= 0 {
		most = runtime.GOMAXPROCS(0)
	}
	return most, most, nil, false
}

// leastJobs is the least number of jobs that wait for machines, even before the first machine is connected.
const leastJobs = 64

// Report delivers an event of the executive that concerns a job, and returns its reference, or nil if it is not
// recorded. The default cause is the event that announced the job.
func (p *Pool) Report(j run.Job, e event.Event) *event.Ref {
	if e.Cause == nil {
		e.Cause = j.Planned
	}
	e.Study, e.Run, e.Component, e.Host = p.Study, j.Name, j.Component, record.LocalSlot
	if e.Kind == event.Planned || e.Kind == event.Ended {
		e.Seeks = j.Seeks
	}
	e.Source, e.Time = event.Executive, p.Clock.Now().UTC()
	e, _, _ = p.deliver(e)
	return e.Ref()
}

// Span records a time of a job, from began until now. Short spans are left out, but for slots.
func (p *Pool) Span(j run.Job, began time.Time, e event.Event) {
	e.Kind, e.Wall = event.Span, clock.Since(p.Clock, began).Round(time.Microsecond).Seconds()
	if e.Wall >= attempt.LeastSpan.Seconds() || e.Name == attempt.SpanSlot {
		p.Report(j, e)
	}
}

// deliver records an event and passes it to the observer, then to the monitor; see Runner.
func (p *Pool) deliver(e event.Event) (event.Event, *attempt.Halt, []attempt.Instruction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Record != nil && e.Kind != event.Reached {
		e = p.Record(e)
	}
	if p.Observe != nil && e.Kind != event.Reached {
		p.Observe(e)
	}
	if p.Monitor != nil && e.Source != event.Executive {
		halt := p.Monitor.Observe(e)
		if c, ok := p.Monitor.(attempt.Commander); ok && e.Run != "" {
			return e, halt, c.Orders(e.Run)
		}
		return e, halt, nil
	}
	return e, nil, nil
}

// recall passes an event to the monitor that an earlier host has recorded. The monitor's answer was given then.
func (p *Pool) recall(e event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Monitor == nil || e.Source == event.Executive {
		return
	}
	p.Monitor.Observe(e)
	if c, ok := p.Monitor.(attempt.Commander); ok {
		c.Orders(e.Run)
	}
}

// addOutcome keeps an outcome, from which another run may start.
func (p *Pool) addOutcome(o run.Outcome) {
	if o.Class == run.NotRun {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = append(p.ended, o)
}

// Outcomes returns the outcomes of all jobs that were made or found, in the order in which they ended.
func (p *Pool) Outcomes() []run.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ended)
}

// Branched lists the branches of the pool's runs that are over.
func (p *Pool) Branched() []Branched {
	list, ended := p.Branches.list(), p.Outcomes()
	for i := range list {
		for k := range ended {
			if ended[k].Job.Name == list[i].Root {
				list[i].Point = &ended[k]
			}
		}
	}
	return list
}
