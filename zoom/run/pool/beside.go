package pool

// A second attempt at a silent run, beside the first. Without it the last run of a study that hangs costs its time
// limit twice, while workers are idle. It sends the same request in a folder of its own, and takes only room, licence,
// core and machine that are free. The first attempt with an answer, or with a failure that the request itself causes,
// decides; the other is ended, and its answer is not kept. When one reaches the limit of silence, the other is ended at
// once if it is silent, too.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

const (
	// silenceTime is the longest time between two looks at a run's silence, and lookTime the shortest.
	silenceTime, lookTime = time.Second, 50 * time.Millisecond
	// roomTime is the time after which a licence, a core and a machine are tried again.
	roomTime = 5 * time.Second
)

// hear notes the silences and the time of an attempt that has an answer.
func (p *Pool) hear(a *attempt.Attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !a.Outcome.OK() {
		return
	}
	p.silences = p.silences.Longest(a.Silences)
	if !a.Resumes {
		p.Budget.learn(a.Outcome.Job.Component, a.Outcome.Wall, p.coresOfRun())
		p.answers++
		usual := time.Duration(p.usual.Load())
		p.usual.Store(int64(usual + (a.Outcome.Wall-usual)/time.Duration(p.answers)))
	}
}

// silent returns the silence of an attempt, the longest one of runs with an answer, and for how long the attempt may
// stay silent until another one starts beside it. It reports false if these are not known: no run has an answer, or the
// attempt is not under way.
func (p *Pool) silent(job string, n int) (name string, silent, longest, rest time.Duration, known bool) {
	name, now, known := p.Host.Silence(job, n)
	p.mu.Lock()
	defer p.mu.Unlock()
	silent, longest = now.Later, p.silences.Later
	if now.First > 0 {
		silent, longest = now.First, p.silences.First
	}
	return name, silent, longest, run.SecondAfter(longest) - silent, known && longest > 0
}

// pair is an attempt at a task and perhaps a second one beside it.
type pair struct {
	*attempts
	ended  chan ended
	hangs  chan int                        // gets the number of an attempt that has reached the limit of silence
	living map[int]context.CancelCauseFunc // by number: ends the attempt
	asked  chan *room                      // gets the room that the second attempt asks for; nil: it asks for none
	unask  context.CancelFunc              // ends that
	first  int                             // number of the first attempt
	last   int                             // number of the second attempt; first: there is none
	held   *ended                          // halted attempt that decides when the one that hangs has ended; nil: none
}

// room is what a second attempt needs, or the reason why it is not free.
type room struct {
	may  attempt.Permit
	back func()
	err  error
}

// ended is an attempt that has ended.
type ended struct {
	n   int
	a   *attempt.Attempt
	err error
}

// attempt makes attempt n at the task, and attempt n+1 beside it if the first is silent. It returns the attempt that
// decides, not closed yet, and the number of the last one.
func (s *attempts) attempt(ctx context.Context, n int, may attempt.Permit, giveBack func()) (*attempt.Attempt, int,
	error) {
	p := &pair{attempts: s, ended: make(chan ended), hangs: make(chan int, 2),
		living: map[int]context.CancelCauseFunc{}, first: n}
	p.start(ctx, n, may, giveBack)
	look := clock.Never()
	if s.mayBeDoubled(ctx) {
		look = s.pool.Clock.NewTimer(silenceTime)
	}
	defer func() { look.Stop() }()
	var spares <-chan func()
	for {
		select {
		case n := <-p.hangs:
			p.halt(n)
		case e := <-p.ended:
			delete(p.living, e.n)
			p.askNoMore()
			switch {
			case len(p.living) > 0 && p.waits(e):
				p.held = &e
				continue
			case len(p.living) > 0 && p.survives(ctx, e):
				continue
			case p.held != nil && p.survives(ctx, e):
				e, p.held = *p.held, nil
			}
			p.outrun(e)
			if e.err == nil {
				s.pool.hear(e.a)
			}
			return e.a, p.last, e.err
		case <-look.C:
			var next time.Duration
			spares, next = p.look()
			look = s.pool.Clock.NewTimer(next)
		case back := <-spares:
			spares = nil
			p.ask(ctx, back)
		case r := <-p.asked:
			p.unask()
			if p.asked = nil; !p.double(ctx, r) {
				look.Stop()
				look = s.pool.Clock.NewTimer(roomTime)
			}
		}
	}
}

// start starts attempt n.
func (p *pair) start(ctx context.Context, n int, may attempt.Permit, giveBack func()) {
	ctx, end := context.WithCancelCause(ctx)
	p.living[n], p.last = end, n
	may.Hangs = func() { p.hangs <- n }
	say := func(text string) { p.pool.Report(p.task.Job, event.Event{Kind: event.Message, Text: text}) }
	task, cause := p.task, p.cause
	go func() { // attempts.attempt waits for it
		a, err := p.pool.Attempt(ctx, task, n, may, cause, say)
		giveBack()
		end(nil)
		p.ended <- ended{n, a, err}
	}()
}

// mayBeDoubled reports whether the policy has a retry for a run that hangs, and no command has changed the request.
func (s *attempts) mayBeDoubled(ctx context.Context) bool {
	does, _ := s.pool.Policy.Next(event.Hung, s.failed[event.Hung]+1, 0)
	return does == run.Retry && s.task.Start == nil && s.pool.spares != nil && ctx.Err() == nil
}

// look returns the offers of room if the only attempt is silent, and the time until the next look.
func (p *pair) look() (spares <-chan func(), next time.Duration) {
	if p.last != p.first || p.asked != nil {
		return nil, silenceTime
	}
	_, _, _, rest, known := p.pool.silent(p.task.Name, p.first)
	switch {
	case !known:
		return nil, silenceTime
	case rest > 0:
		return nil, nextLook(rest)
	}
	return p.pool.spares, silenceTime
}

// nextLook bounds the time until the next look.
func nextLook(in time.Duration) time.Duration { return min(silenceTime, max(lookTime, in)) }

// ask asks for what the second attempt needs besides the room that back gives back. A query of licences may take some
// time, in which the first may end.
func (p *pair) ask(ctx context.Context, back func()) {
	ctx, p.unask = context.WithCancel(ctx)
	asked, job := make(chan *room, 1), p.task.Job
	p.asked = asked
	go func() { // ends soon: it takes only what is free
		may, giveBack, err := p.pool.permitNow(ctx, job)
		if err != nil {
			giveBack = func() {}
		}
		asked <- &room{may, func() { giveBack(); back() }, err}
	}()
}

// askNoMore gives back the room that the second attempt has asked for.
func (p *pair) askNoMore() {
	if p.asked != nil {
		p.unask()
		(<-p.asked).back()
		p.asked = nil
	}
}

// double starts the second attempt in its room. It reports whether it did: the first may have reported something
// meanwhile, or a licence, a core or a machine may not be free.
func (p *pair) double(ctx context.Context, r *room) bool {
	name, silent, longest, rest, known := p.pool.silent(p.task.Name, p.first)
	if r.err != nil || !known || rest > 0 {
		r.back()
		return false
	}
	within, stop := context.WithCancelCause(ctx)
	over, err := p.pool.Budget.begin(stop, p.task.Component, p.pool.coresOfRun(), false)
	if err != nil {
		stop(nil)
		r.back()
		return false
	}
	r.may.Lost, r.may.Outlasted = p.lost, p.blocks
	p.pool.Report(p.task.Job, event.Event{Kind: event.Message, Text: fmt.Sprintf(
		"%s is silent for %v: another attempt starts beside it, as a worker is free; runs with an answer were silent "+
			"for at most %v", name, silent.Round(time.Millisecond), longest.Round(time.Millisecond))})
	p.start(within, p.last+1, r.may, func() { over(); stop(nil); r.back() })
	return true
}

// survives reports whether the other attempt continues although one has ended, which it closes: its failure may be an
// accident, and the other is the policy's retry.
func (p *pair) survives(ctx context.Context, e ended) bool {
	if e.err != nil || ctx.Err() != nil || e.a.Fault() != nil {
		return false
	}
	o := &e.a.Outcome
	_, isProgram := errors.AsType[*launch.ProgramError](o.Err)
	start, err := branch.Rewound(o.Folder)
	if run.Repeatable(o.Class) || o.Class == run.NotRun || o.Stopped || isProgram || fault.Is(o.Err) || start != nil ||
		err != nil {
		return false
	}
	switch {
	case e.a.LostOn == "":
		p.failed[o.Class]++
		p.cut, p.blocks = false, 0
	default:
		p.noteLoss(e.a)
	}
	if alike := p.alike(e.a); o.Class == event.Hung {
		p.hung = alike
		p.halt(e.n)
	}
	p.close(e.a, true)
	return true
}

// waits reports whether an attempt was halted because the other hangs, which is still being stopped.
func (p *pair) waits(e ended) bool {
	return e.a != nil && e.a.Outcome.Run == p.twin && e.a.Outcome.Class == event.Hung
}

// halt ends the other attempt when attempt n has reached the limit of silence, if it is silent for long, too.
func (p *pair) halt(n int) {
	for other := range p.living {
		name, silent, _, rest, known := p.pool.silent(p.task.Name, other)
		if other != n && known && rest <= 0 {
			p.twin = name
			p.pool.Host.Halt(name, attempt.Halt{Class: event.Hung, Message: fmt.Sprintf("nothing heard for %v, after "+
				"another attempt was silent for longer than a run may be", silent.Round(time.Millisecond))})
		}
	}
}

// outrun ends the other attempt after one has decided.
func (p *pair) outrun(by ended) {
	why := &attempt.Outrun{By: p.task.Name}
	if by.a != nil {
		why.By = by.a.Outcome.Run
	}
	for _, end := range p.living {
		end(why)
	}
	if p.held != nil {
		p.close(p.held.a, true)
	}
	for range len(p.living) {
		if e := <-p.ended; e.a != nil {
			p.close(e.a, true)
		}
	}
}
