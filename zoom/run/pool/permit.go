package pool

// The resources that an attempt needs before it starts: a licence, a core, a machine.

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// permit waits until a job may start, and reports that it waits. The attempt has not begun, so that none of its time
// limits runs. The caller calls giveBack when the attempt has ended. A licence is taken before a core: every run needs
// a core, so no core may be held idle. orphan is the run to be taken over; nil: none.
func (p *Pool) permit(ctx context.Context, j run.Job, need launch.Need, orphan *attempt.Orphan) (may attempt.Permit,
	giveBack func(), err error) {
	if orphan != nil {
		need.Handle = orphan.Record.Process.Handle
	}
	return p.permitOr(ctx, j, need, func(of *licence.Pool, why string) {
		switch {
		case of == nil && why != "":
			p.Report(j, event.Event{Kind: event.Message, Text: fmt.Sprintf("%s waits for %s", j.Name, why)})
		case of == nil: // a machine's room
		case of == p.Cores:
			p.reportWaiting(j, of, "a core", why)
		default:
			p.reportWaiting(j, of, "a licence", why)
		}
	})
}

// permitNow is permit for an attempt that takes only what is free: it fails if it would have to wait.
func (p *Pool) permitNow(ctx context.Context, j run.Job) (may attempt.Permit, giveBack func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return p.permitOr(ctx, j, launch.Need{Now: true, Time: p.usualTime}, func(*licence.Pool, string) { cancel() })
}

// usualTime returns the mean time of runs with an answer if runs cannot go on from checkpoints; 0: not known.
func (p *Pool) usualTime() time.Duration { return time.Duration(p.usual.Load()) }

// permitOr is permit with a function that is called with the reason for waiting: for a pool, or nil for a
// machine, whose reason may be empty. It
// completes what is needed of a machine.
func (p *Pool) permitOr(ctx context.Context, j run.Job, need launch.Need, wait func(of *licence.Pool, why string)) (
	may attempt.Permit, giveBack func(), err error) {
	var taken []func()
	giveBack = func() {
		for _, back := range taken {
			back()
		}
	}
	for _, of := range []*licence.Pool{p.Licence, p.Cores} {
		if of == nil {
			continue
		}
		since := p.Clock.Now()
		back, err := of.Take(ctx, func(why string) { wait(of, why) })
		if err != nil {
			giveBack()
			return may, nil, err
		}
		taken = append([]func(){back}, taken...)
		what := "core"
		if of == p.Licence {
			what = "licence"
		}
		p.Span(j, since, event.Event{Name: attempt.SpanQueued, WaitsFor: what})
	}
	l, ok := p.Host.Launcher.(launch.Placer)
	if !ok {
		return may, giveBack, nil
	}
	need.Name, need.Component, need.Licences = j.Name, j.Component, p.Licences
	need.Cores, need.Memory = p.coresOfRun(), p.Limits.Allowance.Memory
	since := p.Clock.Now()
	lacked, from := launch.LacksNode, since
	waited := func() { p.Span(j, from, event.Event{Name: attempt.SpanQueued, WaitsFor: lacked}) }
	slot, back, err := l.Place(ctx, need, func(lacks, why string) {
		if lacks != lacked {
			waited()
			lacked, from = lacks, p.Clock.Now()
		}
		wait(nil, why)
	})
	if err != nil {
		giveBack()
		return may, nil, err
	}
	waited()
	taken = append([]func(){back}, taken...)
	may = attempt.Permit{Slot: slot, Waited: clock.Since(p.Clock, since).Round(time.Millisecond), Cores: need.Cores}
	return may, giveBack, nil
}

// coresOfRun returns the number of cores that an attempt holds.
func (p *Pool) coresOfRun() int { return max(1, int(math.Ceil(p.Limits.Allowance.Cores))) }

// reportWaiting reports that a job waits. Reports on cores are limited to one a minute, because every run waits if
// several studies share the cores.
func (p *Pool) reportWaiting(j run.Job, of *licence.Pool, what, why string) {
	if of == p.Cores {
		p.mu.Lock()
		now := p.Clock.Now()
		silent := now.Sub(p.saidWaiting) < time.Minute
		if !silent {
			p.saidWaiting = now
		}
		p.mu.Unlock()
		if silent {
			return
		}
	}
	p.Report(j, event.Event{Kind: event.Message, Text: fmt.Sprintf("%s waits for %s of %s: %s", j.Name, what, of.Name,
		why)})
}
