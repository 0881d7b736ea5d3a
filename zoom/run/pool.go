package run

// A pool runs jobs in parallel, each attempt in a process of its own while it goes on. It returns an outcome for
// every job, also if the study ends early.

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Pool runs jobs with one solver. Its fields are set before the first call.
type Pool struct {
	Host    *Host
	Program launch.Program
	Study   string       // name in events and requests
	Workers int          // runs at a time; default: the number of cores
	Limits  Limits       //
	Policy  Policy       // nil leaves every failed run out
	Terms   plugin.Terms // what a plugin does when this process dies

	Logger *slog.Logger // for debugging; default: nothing is logged
	Clock  clock.Clock  // for limits and the time of events; default: the real one
	// Record is called for every event, one call at a time, and returns it with its number if
	// it is the executive's. Observe is called with what Record returns. Both may be nil.
	Record  func(event.Event) event.Event
	Observe func(event.Event)
	Monitor Monitor // may stop runs; may be nil
	// Anew makes runs that were interrupted start from their beginning, not from their last checkpoint. It is set if
	// Monitor may end a run for something before the checkpoint, which Monitor would not see otherwise.
	Anew bool
	// Fresh gives every run a new process, even if the solver says that it is reusable.
	Fresh bool

	// Bare withholds from runs the commands that the study keeps for future runs.
	Bare bool

	// Licences are the numbers of the launcher's licences that each attempt needs, by name.
	Licences map[string]int
	// Licence is a pool of licences of which each attempt needs one; nil: none is needed. With it, set Fresh, as an
	// idle process must not hold one.
	Licence *licence.Pool
	// Cores is the pool of the machine's cores, which all studies share. Each attempt takes one, whatever Workers
	// allows; nil: Workers is the only limit.
	Cores *licence.Pool
	// Course holds what may be changed for all runs of the study while they go on; nil: nothing may.
	Course *Course

	limits      Limits
	clock       clock.Clock
	mu          sync.Mutex // of all below and of calls to Observe and Monitor
	ended       []Outcome
	saidWaiting time.Time         // of the last message that jobs wait for a core
	verifiable  int               // counts the runs of which one in fifty is made twice
	unlike      []Unlike          // runs whose answers differ from others of their requests
	interrupted map[string]string // folders of interrupted runs by cache key; nil: not read yet
	book        branchBook        // has a lock of its own
}

// borrow returns a solver for a run in a folder; see Host.
func (p *Pool) borrow(ctx context.Context, slot, folder string) (*Process, error) {
	if p.Fresh {
		return p.Host.startIn(ctx, slot, p.Program, folder, p.Terms, p.limits)
	}
	return p.Host.borrow(ctx, p.Program, slot, folder, p.Terms, p.limits)
}

// plan records an event for each job before the first one starts, so that readers of the
// log know the number of runs. It returns the jobs with these events.
func (p *Pool) plan(jobs []Job) []Job {
	p.begin()
	p.book.know(jobs)
	planned := slices.Clone(jobs)
	for i, j := range jobs {
		planned[i].planned = p.report(j, event.Event{Kind: event.Planned, Name: j.Name, Cause: j.Cause})
	}
	return planned
}

// report delivers an event of the executive that concerns a job, and returns its reference, or
// nil if nothing records it. The default of its cause is the event that the job was planned.
func (p *Pool) report(j Job, e event.Event) *event.Ref {
	if e.Cause == nil {
		e.Cause = j.planned
	}
	e.Study, e.Run, e.Component, e.Host = p.Study, j.Name, j.Component, localSlot
	e.Source, e.Time = event.Executive, p.clock.Now().UTC()
	e, _, _ = p.deliver(e)
	return e.Ref()
}

// runAll calls runJob for every job, and for the branches of the pool's runs that are requested meanwhile. Package
// place gives the order; at most Workers run at a time.
func (p *Pool) runAll(ctx context.Context, jobs []Job, runJob func(context.Context, Job) (Outcome, error)) (
	[]Outcome, error) {
	if err := checkNames(jobs); err != nil {
		return nil, err
	}
	p.begin()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)

	b := batch{queue: queue{room: p.room, course: p.Course, remote: map[string]float64{}}, book: &p.book,
		leftOut: p.leftOut, keep: p.addOutcome, index: map[string]int{}}
	starts, err := b.begin(jobs)
	if err != nil {
		return b.out[:len(jobs)], err
	}
	ended, running := make(chan Outcome), 0
	for {
		for _, s := range starts {
			if ctx.Err() != nil {
				break
			}
			running++
			p.Logger.Debug("job starts", "job", s.Job, "slot", s.Slot, "waiting", b.queue.Waiting())
			j := b.jobs[b.index[s.Job]]
			go func() { // the loop waits for it
				o, err := p.follow(ctx, j, runJob)
				if err != nil {
					abort(err)
				}
				o.name = j.Name
				ended <- o
			}()
		}
		if running == 0 && (b.queue.Waiting() == 0 || !b.queue.held || ctx.Err() != nil) {
			break
		}
		select {
		case o := <-ended:
			starts = b.end(o, ctx.Err() == nil)
			running--
		case <-b.queue.other:
			starts, _ = b.queue.follow() // its numbers are positive
		case <-b.queue.changed:
			starts = b.turn()
		case <-ctx.Done():
			starts = nil
			if running > 0 {
				starts = b.end(<-ended, false)
				running--
			}
		}
	}
	return b.out[:len(jobs)], context.Cause(ctx)
}

// leftOut is the outcome of a job that was dropped before it started.
func (p *Pool) leftOut(j Job, why string) Outcome {
	o := Outcome{Job: j, Class: event.Killed, Err: &RunError{Run: j.Name, Class: event.Killed, Reason: why}}
	o.Ended = p.report(j, event.Event{Kind: event.Ended, Class: o.Class, Text: why})
	return o
}

func checkNames(jobs []Job) error {
	seen := map[string]bool{}
	for _, j := range jobs {
		if err := checkName(j.Name); err != nil {
			return err
		}
		if seen[j.Name] {
			return fmt.Errorf("job %q is there twice", j.Name)
		}
		seen[j.Name] = true
	}
	return nil
}

// room is the number of jobs that may be under way, and the channel that is closed when it changes. On a launcher
// with several machines (ofMachines) it includes jobs that wait for a place there, twice as many as have one, so that
// a free machine has work at once.
func (p *Pool) room() (jobs int, changed <-chan struct{}, ofMachines bool) {
	if l, ok := p.Host.launcher.(launch.Placer); ok {
		jobs, changed = l.Room()
		return max(2*jobs, leastJobs), changed, true
	}
	return p.workers(), nil, false
}

// leastJobs is the least number of jobs that wait for machines, also before the first machine has come.
const leastJobs = 64

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
	p.book.course, p.book.study, p.book.report = p.Course, p.Host.Folder(), p.report
	if p.Logger == nil {
		p.Logger = slog.New(slog.DiscardHandler)
	}
}

// follow makes a job, then the jobs with other requests that the policy has follow. make is runJob, or a function
// that looks for an answer elsewhere first.
func (p *Pool) follow(ctx context.Context, j Job, make func(context.Context, Job) (Outcome, error)) (Outcome, error) {
	for {
		o, err := make(ctx, j)
		if err != nil || o.next == nil || o.next.waits || ctx.Err() != nil {
			return o, err
		}
		j = *o.next
	}
}

// permit waits until a job may start, and reports that it waits. The attempt has not begun, so that none of its time
// limits runs. The caller calls giveBack when the attempt has ended. A licence is taken before a core, not the other
// way round: every run needs a core, and none may be held idle. lost says that the machine of the job's last attempt
// was lost.
func (p *Pool) permit(ctx context.Context, j Job, lost bool) (permit, error) {
	giveBack := func() {}
	for _, of := range []struct {
		pool *licence.Pool
		what string
	}{{p.Licence, "a licence"}, {p.Cores, "a core"}} {
		if of.pool == nil {
			continue
		}
		back, err := of.pool.Take(ctx, func(why string) { p.reportWaiting(j, of.pool, of.what, why) })
		if err != nil {
			giveBack()
			return permit{}, err
		}
		others := giveBack
		giveBack = func() { back(); others() }
	}
	l, ok := p.Host.launcher.(launch.Placer)
	if !ok {
		return permit{giveBack: giveBack}, nil
	}
	need, since := p.need(j), p.clock.Now()
	need.MachineLost = lost
	slot, back, err := l.Place(ctx, need, func(why string) {
		p.report(j, event.Event{Kind: event.Message, Text: fmt.Sprintf("%s waits for %s", j.Name, why)})
	})
	if err != nil {
		giveBack()
		return permit{}, err
	}
	return permit{slot: slot, waited: clock.Since(p.clock, since).Round(time.Millisecond), cores: need.Cores,
		giveBack: func() { back(); giveBack() }}, nil
}

// need is what a job needs of a machine.
func (p *Pool) need(j Job) launch.Need {
	return launch.Need{
		Name: j.Name, Component: j.Component, Licences: p.Licences,
		Cores: max(1, int(math.Ceil(p.limits.Allowance.Cores))), Memory: p.limits.Allowance.Memory,
	}
}

// reportWaiting reports what a job waits for. For cores there is one report a minute at most, as every run waits if
// several studies share them.
func (p *Pool) reportWaiting(j Job, of *licence.Pool, what, why string) {
	if of == p.Cores {
		p.mu.Lock()
		now := p.clock.Now()
		silent := now.Sub(p.saidWaiting) < time.Minute
		if !silent {
			p.saidWaiting = now
		}
		p.mu.Unlock()
		if silent {
			return
		}
	}
	p.report(j, event.Event{
		Kind: event.Message, Text: fmt.Sprintf("%s waits for %s of %s: %s", j.Name, what, of.Name, why),
	})
}

// notRun is the outcome of a job without a permit: the study has ended, or no permit can ever come.
func notRun(ctx context.Context, j Job, err error) (Outcome, error) {
	o := Outcome{Job: j, Class: NotRun, Err: errStudyEnded}
	if ctx.Err() != nil {
		return o, nil
	}
	o.Err = err
	return o, &AbortError{Job: j.Name, Err: err}
}

// try makes attempt number n, which the event cause led to. It returns the stream of the
// attempt still open, or nil if the run folder could not be made.
func (p *Pool) try(ctx context.Context, j Job, n int, may permit, lost []string,
	cause *event.Ref) (Outcome, plugin.Description, *stream, error) {
	o := Outcome{Job: j, Class: NotRun, Attempts: n}
	started := p.clock.Now()
	run, folder, err := newRunFolder(p.Host.Folder(), j.Name)
	left := ""
	if err == nil {
		left, err = fence(p.Host.Folder(), j.Name, run, started)
	}
	if err == nil {
		if left != "" {
			p.report(j, event.Event{Kind: event.Message, Text: left})
		}
		o.Run, o.Folder = run, folder
		s := &stream{
			study: p.Study, run: run, component: j.Component, attempt: n, machine: cmp.Or(may.slot, localSlot),
			clock: p.clock, deliver: p.deliver,
		}
		if err = s.open(folder); err == nil {
			if !j.rules.inForce() {
				j.key = ""
			}
			a := &attempt{pool: p, may: may, lost: lost, run: run, folder: folder, stream: s, started: started,
				record: Record{Key: j.key, Parent: j.rewound.parent()}, goOn: j.goOn, rewound: j.rewound, cause: cause}
			d := a.runInto(ctx, &o)
			return o, d, s, nil
		}
	}
	o.Err = err
	return o, plugin.Description{}, nil, err
}

// runInto makes the attempt and writes its end into the outcome and into the run folder.
func (a *attempt) runInto(ctx context.Context, o *Outcome) plugin.Description {
	p := a.pool
	p.Host.join(a.stream)
	defer p.Host.leave(a.stream)
	p.Host.disk.begin(a.folder)
	defer p.Host.disk.end(a.folder)
	req := o.Job.Request
	req.Study, req.Run, req.Folder = p.Study, a.run, a.folder
	a.stream.begin(a.folder, a.may, a.cause)
	if r := a.rewound; r != nil {
		a.stream.fromHost(event.Message, fmt.Sprintf("goes on from checkpoint %s of %s, iteration %d", r.Checkpoint,
			r.of, r.at), nil)
	}
	v := a.execute(ctx, req)
	if a.process == nil || closedWithin(a.process.Done(), 0) {
		atomic.Sweep(a.folder) // what a solver that was killed was writing
	}
	a.recordCommands()
	if a.stopping != nil && v.class != event.Converged { // also of a solver that did not obey in time
		v.stopped = true
		if v.cause == nil {
			v.cause = a.stopping
		}
	}

	var d plugin.Description
	if a.process != nil {
		d = a.process.Description
		o.Solver, o.Fidelity = d.Name+" "+d.Version, d.Fidelity
	}
	if v.class == event.Converged { // the values of a stopped run are no answer; rules must not judge them
		answer, _ := v.result.Finite()
		a.stream.fromHost(event.Result, v.reason, answer.Numbers)
	}
	if halt := a.stream.halted(); halt != nil && v.class == event.Converged {
		// a rule rejects the answer
		v.class, v.reason, v.halted, v.beyond, v.cause = halt.Class, halt.Message, true, halt.Beyond, halt.Cause
	}
	v.result.Class, v.result.Message = v.class, v.reason
	ending := plugin.NewEnding(v.result, a.started, p.clock.Now(), event.Host, d)
	ending.CPU, ending.Memory = a.used.CPU, a.used.Memory
	o.Class, o.Result, o.Wall, o.Halted, o.Stopped = v.class, ending.Result, ending.Wall, v.halted, v.stopped
	o.lostOn, o.left, o.maker = v.lostOn, v.left, a.record.Process.Maker
	o.cause, o.beyond = v.cause, v.beyond || a.stream.commandedBeyond() || !o.Job.rules.inForce()
	o.Steered = a.rewound.steered(a.stream.steered())
	ending.Steered = o.Steered
	if !o.OK() {
		o.Err = &RunError{Run: a.run, Folder: a.folder, Class: v.class, Reason: v.reason, Err: v.err}
	}
	if o.OK() {
		ending.Solution = d.SolutionSum(a.folder)
		o.solution = ending.Solution
	}
	if err := plugin.WriteResult(a.folder, ending); err != nil && o.Err == nil {
		o.Err = err
	}
	return d
}

// conclude records the end of an attempt and whether another one follows, and closes the
// stream. It returns the event of the end.
func (p *Pool) conclude(stream *stream, o Outcome, retry bool) *event.Ref {
	end := stream.end(&o, retry)
	if err := stream.close(plugin.Lasting(o.Wall)); err != nil {
		p.report(o.Job,
			event.Event{
				Kind: event.Warning, Text: fmt.Sprintf("events of the run may be missing in its folder: %v", err),
			})
	}
	return end
}

// deliver records an event and passes it to the observer, then to the monitor. It returns the
// event as recorded, the monitor's reason to stop the run, or nil, and its orders.
func (p *Pool) deliver(e event.Event) (event.Event, *Halt, []Order) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Record != nil {
		e = p.Record(e)
	}
	if p.Observe != nil {
		p.Observe(e)
	}
	if p.Monitor != nil && e.Source != event.Executive {
		halt := p.Monitor.Observe(e)
		if c, ok := p.Monitor.(Commander); ok && e.Run != "" {
			return e, halt, c.Orders(e.Run)
		}
		return e, halt, nil
	}
	return e, nil, nil
}

// addOutcome keeps an outcome, from which another run may start.
func (p *Pool) addOutcome(o Outcome) {
	if o.Class == NotRun {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = append(p.ended, o)
}

// Branched lists the branches of the pool's runs that are over.
func (p *Pool) Branched() []Branched {
	list, ended := p.book.list(), p.outcomes()
	for i := range list {
		for k := range ended {
			if ended[k].name == list[i].Root {
				list[i].Point = &ended[k]
			}
		}
	}
	return list
}

func (p *Pool) outcomes() []Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Outcome(nil), p.ended...)
}
