package run

// A pool runs jobs in parallel, each in a process of its own, and always ends
// with an outcome for every one of them.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/place"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// Pool runs jobs with one solver. Its fields are set before the first call.
type Pool struct {
	Host    *Host
	Program launch.Program
	Study   string       // name in events and requests
	Workers int          // runs at a time; default: the cores
	Limits  Limits       //
	Policy  Policy       // the zero value leaves every failed run out
	Terms   plugin.Terms // what becomes of runs whose host dies

	Logger  *slog.Logger      // of what is done; default: nothing is logged
	Clock   clock.Clock       // of limits and events; default: the real one
	Observe func(event.Event) // may be nil; called for every event, one call at a time
	Monitor Monitor           // may stop runs; may be nil

	limits Limits
	clock  clock.Clock
	mu     sync.Mutex // of everything that is told
	done   []Outcome
	left   map[string]string // folders of runs that were cut off, by key; nil: not looked for yet
}

var jobName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)

// Run runs the jobs and returns an outcome for each, in their order. Failed runs
// are outcomes, not errors. The error tells why the study ended early: ctx ended
// (its cause), or an AbortError; the outcomes are complete all the same, jobs
// without a turn having class NotRun. All processes are gone when it returns.
func (p *Pool) Run(ctx context.Context, jobs []Job) ([]Outcome, error) {
	p.plan(jobs)
	return p.each(ctx, jobs, p.perform)
}

// plan reports jobs that are wanted, so that readers know how many there will be.
func (p *Pool) plan(jobs []Job) {
	p.begin()
	for _, j := range jobs {
		p.report(j, event.Event{Kind: event.Planned, Name: j.Name})
	}
}

// report delivers what concerns a job and is not of one of its runs.
func (p *Pool) report(j Job, e event.Event) {
	e.Study, e.Run, e.Component, e.Host = p.Study, j.Name, j.Component, localSlot
	e.Source, e.Time = event.Executive, p.clock.Now().UTC()
	p.deliver(e)
}

// localSlot is where a pool runs its jobs today: this machine.
const localSlot = "local"

// each calls do for every job, in the order and number that placing allows.
func (p *Pool) each(ctx context.Context, jobs []Job, do func(context.Context, Job) (Outcome, error)) ([]Outcome, error) {
	if err := checkNames(jobs); err != nil {
		return nil, err
	}
	p.begin()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)

	out := make([]Outcome, len(jobs))
	index := map[string]int{}
	var at place.Place
	starts, err := at.Come(place.Slot{Name: localSlot, Runs: p.workers()})
	for i, j := range jobs {
		out[i] = Outcome{Job: j, Class: NotRun, Err: errRefused}
		index[j.Name] = i
		if err == nil {
			var more []place.Start
			more, err = at.Add(place.Job{Name: j.Name, Component: j.Component})
			starts = append(starts, more...)
		}
	}
	if err != nil {
		return out, err
	}
	ended, running := make(chan string), 0
	for {
		for _, s := range starts {
			if ctx.Err() != nil {
				break
			}
			running++
			p.Logger.Debug("placed", "job", s.Job, "slot", s.Slot, "waiting", at.Waiting())
			go func() { // the loop waits for it
				i := index[s.Job]
				o, err := do(ctx, jobs[i])
				out[i] = o
				p.finished(o)
				if err != nil {
					abort(err)
				}
				ended <- s.Job
			}()
		}
		if running == 0 {
			break
		}
		starts = at.Ended(<-ended)
		running--
	}
	return out, context.Cause(ctx)
}

func checkNames(jobs []Job) error {
	seen := map[string]bool{}
	for _, j := range jobs {
		if !jobName.MatchString(j.Name) || len(j.Name) > 100 {
			return fmt.Errorf("job %q: a name names a folder: letters, digits and _ . + - , at most 100", j.Name)
		}
		if seen[j.Name] {
			return fmt.Errorf("job %q is there twice", j.Name)
		}
		seen[j.Name] = true
	}
	return nil
}

func (p *Pool) workers() int {
	if p.Workers > 0 {
		return p.Workers
	}
	return runtime.GOMAXPROCS(0)
}

func (p *Pool) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits, p.clock = p.Limits.withDefaults(), clock.Or(p.Clock)
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
}

// perform tries a job until it has an answer or its policy has enough.
func (p *Pool) perform(ctx context.Context, j Job) (Outcome, error) {
	policy := p.Policy.withDefaults()
	var cause *event.Ref
	for n := 1; ; n++ {
		o, d, s, err := p.try(ctx, j, n, cause)
		if s == nil { // not even a folder: the disk, not the solver
			return o, &AbortError{Job: j.Name, Err: err}
		}
		action, next := LeaveOut, plugin.Request{}
		var none *launch.ProgramError
		switch {
		case errors.As(o.Err, &none):
			action = Abort
		case !o.OK() && o.Class != NotRun && ctx.Err() == nil:
			action, next = policy.next(o, n, d, p.outcomes())
		}
		again := action == Retry || action == Change
		cause = p.conclude(s, o, again)
		switch {
		case action == Abort:
			return o, &AbortError{Job: j.Name, Err: o.Err}
		case !again:
			return o, nil
		}
		j.Request = next
	}
}

// try makes attempt number n, for the reason of an event. The stream is still open when it returns, and nil if
// there is no run folder.
func (p *Pool) try(ctx context.Context, j Job, n int, cause *event.Ref) (Outcome, plugin.Description, *stream, error) {
	o := Outcome{Job: j, Class: NotRun, Attempts: n}
	started := p.clock.Now()
	run, folder, err := newRunFolder(p.Host.Folder(), j.Name)
	if err == nil {
		o.Run, o.Folder = run, folder
		var s *stream
		if s, err = newStream(p, j, n, run, folder); err == nil {
			a := &attempt{pool: p, run: run, folder: folder, stream: s, started: started, key: j.key, cause: cause}
			d := a.fill(ctx, &o)
			return o, d, s, nil
		}
	}
	o.Err = err
	return o, plugin.Description{}, nil, err
}

// fill makes the attempt and writes what came of it into the outcome and the
// run folder.
func (a *attempt) fill(ctx context.Context, o *Outcome) plugin.Description {
	p := a.pool
	p.Host.join(a.stream)
	defer p.Host.leave(a.stream)
	req := o.Job.Request
	req.Study, req.Run, req.Folder = p.Study, a.run, a.folder
	a.stream.begin(a.folder, a.cause)
	a.noteKey(o.Job.key)
	v := a.perform(ctx, req)

	var d plugin.Description
	if a.process != nil {
		d = a.process.Description
		o.Solver, o.Fidelity = d.Name+" "+d.Version, d.Fidelity
	}
	if v.class == event.Converged { // what a broken-off run leaves is no answer to be judged
		answer, _ := v.result.Finite()
		a.stream.host(event.Result, v.reason, answer.Numbers)
	}
	if h := a.stream.halted(); h != nil && v.class == event.Converged {
		v.class, v.reason, v.halted, v.cause = h.Class, h.Message, true, h.Cause // an answer that makes no sense is none
	}
	v.result.Class, v.result.Message = v.class, v.reason
	ending := plugin.NewEnding(v.result, a.started, p.clock.Now(), event.Host, d)
	o.Class, o.Result, o.Wall, o.Halted, o.Stopped = v.class, ending.Result, ending.Wall, v.halted, v.stopped
	o.cause = v.cause
	if !o.OK() {
		o.Err = &RunError{Run: a.run, Folder: a.folder, Class: v.class, Reason: v.reason, Err: v.err}
	}
	if err := plugin.WriteFile(a.folder, plugin.ResultFile, ending); err != nil && o.Err == nil {
		o.Err = err
	}
	return d
}

// conclude tells that an attempt has ended, and whether another follows.
func (p *Pool) conclude(s *stream, o Outcome, again bool) *event.Ref {
	end := s.end(&o, again)
	if err := s.close(); err != nil {
		p.report(o.Job, event.Event{Kind: event.Warning, Text: fmt.Sprintf("events of the run may be missing in its folder: %v", err)})
	}
	return end
}

// deliver shows an event to the monitor and the observer.
func (p *Pool) deliver(e event.Event) *Halt {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Observe != nil {
		p.Observe(e)
	}
	if p.Monitor != nil && e.Source != event.Executive {
		return p.Monitor.Observe(e)
	}
	return nil
}

// finished notes an outcome for Policy.Change.
func (p *Pool) finished(o Outcome) {
	if o.Class == NotRun {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = append(p.done, o)
}

func (p *Pool) outcomes() []Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Outcome(nil), p.done...)
}
