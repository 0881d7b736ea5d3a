package steer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Verdict is the action of a solver after a safe point.
type Verdict int

// The verdicts.
const (
	GoOn Verdict = iota
	End          // the run ends here, with the present values
)

// Obey is called by the solver's own thread at a safe point, after the given number of iterations, if [Registry.Armed]
// reports true. It applies the commands that are due, in their order, and returns when no command holds the run any
// more, or ctx has ended.
func (r *Registry) Obey(ctx context.Context, iteration int64) Verdict {
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.change.Broadcast()
	})
	defer stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = iteration
	if !r.begun {
		r.judged = iteration // earlier iterations do not belong to this run
	}
	r.begin()
	r.hold.arrive(iteration)
	r.carryOut(ctx)
	r.judge(iteration)
	for {
		r.carryOut(ctx)
		if r.looks() {
			r.look()
		}
		switch {
		case r.stands(ctx) != r.still:
			r.mu.Unlock()
			r.halt(ctx)
			r.mu.Lock()
			continue
		case ctx.Err() != nil || r.stop:
			return End
		case !r.hold.held():
			r.armed.Store(len(r.queue) > 0 || r.hold.steps > 0 || r.Judge != nil)
			return GoOn
		}
		r.change.Wait()
	}
}

// judge lets the run's own rules judge an iteration, once. A solver that starts afresh reaches a safe point without a
// new iteration. The caller holds the lock, which is released meanwhile.
func (r *Registry) judge(iteration int64) {
	if r.Judge == nil || iteration <= r.judged {
		return
	}
	r.judged = iteration
	r.mu.Unlock()
	r.Judge(iteration)
	r.mu.Lock()
}

// Number returns the present number of an object, or of a place in one; false: unknown. Only the solver's own thread
// may call it, for example in Judge.
func (r *Registry) Number(name string) (x float64, there bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.numberOf(name)
}

// numberOf is Number. The caller holds the lock.
func (r *Registry) numberOf(name string) (float64, bool) {
	if o := r.names[name]; o != nil { // nearly always
		return o.number(), o.Get != nil
	}
	o, at := find(name, func(name string) *object { return r.names[name] })
	if o == nil || o.Get == nil {
		return 0, false
	}
	v, err := at.of(o.Get())
	return v.AsNumber(), err == nil
}

// begin finds the objects of the commands that came before the first safe point. The caller holds the lock.
func (r *Registry) begin() {
	if !r.begun {
		r.begun = true
		close(r.started)
	}
	for _, p := range r.queue {
		if p.early {
			p.early = false
			p.failed = r.checkVerb(p)
		}
	}
}

// carryOut applies the commands that are due. The caller holds the lock, which is released meanwhile.
func (r *Registry) carryOut(ctx context.Context) {
	for {
		iteration := r.at
		i := slices.IndexFunc(r.queue, func(p *pending) bool { return r.ready(p, iteration) })
		if i < 0 {
			return
		}
		p := r.queue[i]
		r.queue = slices.Delete(r.queue, i, i+1)
		r.mu.Unlock()
		x := r.do(ctx, p, iteration)
		if x.State == event.Applied && p.Verb == Set && p.confirms() {
			r.mu.Lock()
			r.unsure, r.beside = true, append(r.beside, p)
			go r.confirm(p, x) // Close waits for it
			continue
		}
		if r.halt(ctx) { // a pause is applied when the solver has stopped
			x.Iteration = max(x.Iteration, r.at)
		}
		r.say(p, x)
		r.mu.Lock()
	}
}

// stands reports whether the solver is to be stopped by a hold. The caller holds the lock.
func (r *Registry) stands(ctx context.Context) bool {
	return r.hold.held() && ctx.Err() == nil && !r.stop
}

// halt stops or resumes a solver in another process, and reports whether this was needed. The caller is the solver's
// thread, the only one that changes at, and does not hold the lock.
func (r *Registry) halt(ctx context.Context) bool {
	r.mu.Lock()
	was := r.still
	r.still = r.stands(ctx)
	now := r.still
	r.mu.Unlock()
	if now == was || r.Halt == nil {
		return false
	}
	at := r.Halt(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = max(r.at, at)
	return true
}

// ready reports whether a command is due, also if it is to be refused. The caller holds the lock, and is the solver's
// thread.
func (r *Registry) ready(p *pending, iteration int64) bool {
	if p.failed != nil || p.expired(iteration) {
		return true
	}
	if iteration < p.At || p.Verb == Set && r.unsure {
		return false
	}
	if p.when == nil {
		return true
	}
	holds, err := r.holds(p.when)
	if err != nil {
		p.failed = err
	}
	return holds || err != nil
}

func (p *pending) expired(iteration int64) bool { return p.Until > 0 && iteration > p.Until }

// holds evaluates a condition, which may panic.
func (r *Registry) holds(when Predicate) (holds bool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the condition failed: %v", fault)
		}
	}()
	return when(func(name string) (float64, bool) {
		if name == "iteration" {
			return float64(r.at), true
		}
		return r.numberOf(name)
	})
}

// do applies one command on the solver's thread.
func (r *Registry) do(ctx context.Context, p *pending, iteration int64) event.Receipt {
	x := event.Receipt{State: event.Applied, Iteration: iteration}
	switch {
	case p.expired(iteration):
		x.State, x.Reason = event.Expired, fmt.Sprintf("it was to be done by iteration %d", p.Until)
		return x
	case p.failed != nil:
		x.State, x.Reason = event.Refused, p.failed.Error()
		return x
	}
	if reason := r.stale(p); reason != "" {
		x.State, x.Reason = event.Refused, reason
		return x
	}
	switch p.Verb {
	case Get:
		x.Effects = r.sense(p)
	case Set:
		r.set(p, &x)
	case CallOf:
		r.call(ctx, p, &x)
	case Poke, Switch:
		r.atOnce(p, &x)
	case Checkpoint:
		r.checkpoint(ctx, p, &x)
	default:
		r.mu.Lock()
		r.steer(p, iteration)
		x.Held = len(r.hold.holders) > 0
		r.mu.Unlock()
	}
	return x
}

// steer changes the holds of the run, or stops it. The caller holds the lock.
func (r *Registry) steer(p *pending, iteration int64) {
	if p.left && p.Verb != Stop {
		return
	}
	defer r.change.Broadcast() // wakes the calls of Stay
	switch p.Verb {
	case Pause, Sync:
		r.hold.take(p)
	case Resume, Release:
		held := len(r.hold.holders)
		if p.Verb == Resume {
			r.hold.resume()
		} else {
			r.hold.release(p.Name)
		}
		p.quiet = p.given && len(r.hold.holders) == held // it was meant for held runs
	case Step:
		r.hold.step(p, iteration)
	case Stop:
		r.stop = true
	}
}

// stale returns the reason why a command can no longer be applied: one of its objects was removed. Empty: it can.
func (r *Registry) stale(p *pending) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range p.targets {
		if r.objects[t.Number] != t.object {
			return fmt.Sprintf("%s (object %d) was removed", t.Name, t.Number)
		}
	}
	return ""
}

// patience is how long Close waits for the commands beside the solver, after ending their context.
const patience = time.Second

// Close ends the registry with the run. Waiting commands are too late, and so is the result of a function beside the
// solver that ignores its context.
func (r *Registry) Close() {
	r.mu.Lock()
	r.closed = true
	r.end()
	late := r.queue
	r.queue = nil
	r.armed.Store(false)
	r.change.Broadcast()
	waited := false
	timer := r.clock.AfterFunc(patience, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		waited = true
		r.change.Broadcast()
	})
	for len(r.beside) > 0 && !waited {
		r.change.Wait()
	}
	timer.Stop()
	late = append(late, r.beside...)
	r.mu.Unlock()
	for _, p := range late {
		r.say(p, event.Receipt{State: event.Late, Reason: "the run is over"})
	}
}
