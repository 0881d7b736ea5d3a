package run

// A pool runs jobs in parallel, each attempt in a process of its own while it goes on. It returns an outcome for
// every job, also if the study ends early.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
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
	// Anew lets runs that were cut begin anew: Monitor may end a run for what it did before its checkpoint, which
	// a run that goes on from there does not do.
	Anew bool
	// Fresh makes every run in a process of its own, also where the solver says that a process takes run after run.
	Fresh bool

	// Bare gives no run the commands that the study keeps for those that are yet to start.
	Bare bool

	// Licences are what each attempt needs of those that the launcher's machines have, by name.
	Licences map[string]int
	// Licence is what each attempt needs one of; nil: nothing. A process that waits for a run holds none: Fresh is then to be set.
	Licence *licence.Pool
	// Cores is the machine's, which all studies share: each attempt takes one, whatever number Workers says. nil: Workers counts alone.
	Cores *licence.Pool
	// Course is what may be changed of the study's runs as a whole while they go on; nil: nothing.
	Course *Course

	limits      Limits
	clock       clock.Clock
	mu          sync.Mutex // of all below and of calls to Observe and Monitor
	ended       []Outcome
	saidWaiting time.Time         // when it was last said that a job waits for a core
	verifiable  int               // runs of which one in fifty is made twice
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

// Run runs the jobs and returns an outcome for each, in the same order. Failed runs
// are outcomes, not errors. The error is why the study ended early: the cause of ctx, or
// an AbortError. The outcomes are complete even then; jobs that did not start have the
// class NotRun. All processes have ended when Run returns.
func (p *Pool) Run(ctx context.Context, jobs []Job) ([]Outcome, error) {
	return p.runAll(ctx, p.plan(jobs), p.runJob)
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
// nil if nothing records it. If it has no cause, that is the event that the job was planned.
func (p *Pool) report(j Job, e event.Event) *event.Ref {
	if e.Cause == nil {
		e.Cause = j.planned
	}
	e.Study, e.Run, e.Component, e.Host = p.Study, j.Name, j.Component, localSlot
	e.Source, e.Time = event.Executive, p.clock.Now().UTC()
	e, _, _ = p.deliver(e)
	return e.Ref()
}

// runAll calls runJob for every job, and for the branches of the pool's runs that are wanted meanwhile, in the order of package place and
// with at most Workers at a time.
func (p *Pool) runAll(ctx context.Context, jobs []Job, runJob func(context.Context, Job) (Outcome, error)) ([]Outcome, error) {
	if err := checkNames(jobs); err != nil {
		return nil, err
	}
	p.begin()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)

	b := batch{queue: queue{room: p.room, course: p.Course, remote: map[string]float64{}}, book: &p.book, leftOut: p.leftOut, keep: p.addOutcome, index: map[string]int{}}
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

// leftOut is the outcome of a job that somebody has dropped before it started.
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

// room is how many jobs may be under way, or wait for room on the launcher's machines, and what is closed when that changes. More wait there than have room,
// so that a machine that becomes free has work at once; then these machines say how many are made.
func (p *Pool) room() (jobs int, changed <-chan struct{}, ofMachines bool) {
	if l, ok := p.Host.launcher.(launch.Placer); ok {
		jobs, changed = l.Room()
		return max(2*jobs, leastJobs), changed, true
	}
	return p.workers(), nil, false
}

// leastJobs is how many jobs wait for machines that have not come.
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

// follow makes a job by one of runJob and what stands before it, and the jobs that the policy has follow.
func (p *Pool) follow(ctx context.Context, j Job, make func(context.Context, Job) (Outcome, error)) (Outcome, error) {
	for {
		o, err := make(ctx, j)
		if err != nil || o.next == nil || o.next.waits || ctx.Err() != nil {
			return o, err
		}
		j = *o.next
	}
}

// runJob makes attempts at a job until one gives an answer or the policy has no more of the same request. The outcome says what
// other request follows.
func (p *Pool) runJob(ctx context.Context, j Job) (Outcome, error) {
	cause := cmp.Or(j.after, j.planned)
	var lost []string                                // machines that were lost under the job
	wasLost := false                                 // its last attempt, with its machine
	base, failed := j.Request, map[event.Class]int{} // the request without a checkpoint to go on from, and how often it failed
	j.Request = j.rewound.request(base)
	for n := j.tries + 1; ; n++ {
		may, err := p.permit(ctx, j, wasLost)
		if err != nil {
			return notRun(ctx, j, err)
		}
		o, d, stream, err := p.try(ctx, j, n, may, lost, cause)
		may.giveBack()
		back, backErr := (*rewound)(nil), error(nil)
		if stream != nil && ctx.Err() == nil {
			back, backErr = rewoundFrom(o.Folder)
		}
		if backErr != nil {
			p.report(j, event.Event{Kind: event.Warning, Text: fmt.Sprintf("%s is not made again from a checkpoint: %v", o.Run, backErr)})
		}
		d.WholeState = d.WholeState && !p.Anew
		if stream == nil { // the run folder could not be made: a fault of the disk, not of the solver
			return o, &AbortError{Job: j.Name, Err: err}
		}
		does, next := leaveOut, (*Job)(nil)
		var programError *launch.ProgramError
		switch {
		case back != nil:
			does, j.rewound = retry, back
		case !o.OK() && fault.Is(stream.fault()): // a full disk, for one: the solver is not to blame
			o.Err = errors.Join(stream.fault(), o.Err)
			does = abort
		case errors.As(o.Err, &programError), !o.OK() && fault.Is(o.Err): // others would fail for it, too
			does = abort
		case o.lostOn != "" && o.Class == event.Lost && ctx.Err() == nil: // the run is not to blame, and no policy is for it
			if lost = append(lost, o.lostOn); o.left {
				lost = lost[:len(lost)-1]
			}
			does = retry
		case !o.OK() && o.Class != NotRun && ctx.Err() == nil:
			if failed[o.Class]++; o.lostOn != "" { // machines were lost under this very request
				failed[o.Class] = mostAttempts
			}
			of := j
			of.Request = base
			does, next = p.Policy.next(of, &o, failed, d)
		}
		wasLost = o.lostOn != ""
		cause = p.conclude(stream, o, does == retry || does == change)
		if o.Ended, o.next = cause, next; next != nil {
			next.after, next.rewound = cause, nil // another request, from its beginning
		}
		switch does {
		case abort:
			return o, &AbortError{Job: j.Name, Err: o.Err}
		case retry:
			j.Request = j.rewound.request(base)
			if j.rewound == nil && !touched(o.Folder) { // else the next attempt is made as it was wanted
				of := o
				of.Job.Request = base
				j.Request = resumedRequest(of, d)
			}
		default:
			return o, nil
		}
	}
}

// permit waits until a job may start, and says so if it has to. The attempt has not begun: no limit of it runs, so that waiting is
// never hanging. The caller calls giveBack when the attempt has ended. Who waits for a core holds a licence, not the other way round:
// every run needs a core.
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
	return permit{slot: slot, waited: clock.Since(p.clock, since).Round(time.Millisecond), cores: need.Cores, giveBack: func() { back(); giveBack() }}, nil
}

// need is what a job needs of a machine.
func (p *Pool) need(j Job) launch.Need {
	return launch.Need{
		Name: j.Name, Component: j.Component, Licences: p.Licences,
		Cores: max(1, int(math.Ceil(p.limits.Allowance.Cores))), Memory: p.limits.Allowance.Memory,
	}
}

// reportWaiting says what a job waits for. Of cores that is said once for all who begin to wait within a minute: where several
// studies share them, every run waits.
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
	p.report(j, event.Event{Kind: event.Message, Text: fmt.Sprintf("%s waits for %s of %s: %s", j.Name, what, of.Name, why)})
}

// notRun is the outcome of a job that got no permit: as the study has ended, or as none will ever come.
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
func (p *Pool) try(ctx context.Context, j Job, n int, may permit, lost []string, cause *event.Ref) (Outcome, plugin.Description, *stream, error) {
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
		s := &stream{study: p.Study, run: run, component: j.Component, attempt: n, machine: cmp.Or(may.slot, localSlot), clock: p.clock, deliver: p.deliver}
		if err = s.open(folder); err == nil {
			if !j.rules.inForce() {
				j.key = ""
			}
			a := &attempt{pool: p, may: may, lost: lost, run: run, folder: folder, stream: s, started: started, record: Record{Key: j.key, Parent: j.rewound.parent()}, goOn: j.goOn, rewound: j.rewound, cause: cause}
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
		a.stream.fromHost(event.Message, fmt.Sprintf("goes on from checkpoint %s of %s, iteration %d", r.Checkpoint, r.of, r.at), nil)
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
		v.class, v.reason, v.halted, v.beyond, v.cause = halt.Class, halt.Message, true, halt.Beyond, halt.Cause // a rule rejects the answer
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
		p.report(o.Job, event.Event{Kind: event.Warning, Text: fmt.Sprintf("events of the run may be missing in its folder: %v", err)})
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
