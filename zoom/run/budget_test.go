package run_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// A budget that ends in the middle of a batch stops the run under way, without a retry, and leaves out the rest, held
// or not; the study does not fail.
func TestBudgetEndsBatch(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]bool{"queued": false, "held": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := without(t)
			p.Workers, p.Live = 1, live.New()
			p.Policy = run.Policy{event.Killed: {{Retry: 3}}}
			manual := clock.NewManual(time.Unix(0, 0))
			p.Budget = &pool.Budget{Cores: 60, Clock: manual}
			began := 0
			p.Observe = func(e event.Event) {
				switch {
				case e.Kind == event.Started:
					began++
					p.Live.Hold(held)
				case e.Kind == event.Iteration && e.Values["iteration"] == 1:
					manual.Advance(2 * time.Minute)
				}
			}
			out := runAll(t, p, job("p0", 0, "iterate 1000000 1ms"), job("p1", 1, "iterate 5"),
				job("p2", 2, "iterate 5"))
			for _, o := range out {
				if o.Class != event.Killed || !strings.Contains(o.Reason(), "core-hours are used up") || o.Next != nil {
					t.Errorf("%s: %s, %s", o.Job.Name, o.Class, o.Reason())
				}
			}
			if is := p.Budget.State(); began != 1 || is.Stopped != 1 || is.LeftOut != 2 || is.Used != 120 {
				t.Errorf("%d began: %+v", began, is)
			}
		})
	}
}

// A start that the budget ends names it.
func TestBudgetEndsStart(t *testing.T) {
	t.Parallel()
	manual := clock.NewManual(time.Unix(0, 0))
	budget := &pool.Budget{Cores: 60, Clock: manual}
	p, fake := newFake(t, func(int) launchtest.Script {
		for manual.Advance(2 * time.Minute); budget.State().Stopped == 0; {
			time.Sleep(time.Millisecond)
		}
		return launchtest.Script{Refuse: errors.New("refused")}
	})
	p.Budget, p.Policy = budget, run.Policy{event.Killed: {{Retry: 3}}}
	o := runAll(t, p, job("p0", 0, "iterate 5"))[0]
	if o.Class != event.Killed || !strings.Contains(o.Reason(), "core-hours are used up; ") || fake.Starts() != 1 {
		t.Errorf("%s after %d starts: %s", o.Class, fake.Starts(), o.Reason())
	}
}

// setBack is a clock that is set back after the first look at it.
type setBack struct {
	clock.Clock
	looked atomic.Bool
}

func (c *setBack) Now() time.Time {
	if c.looked.Swap(true) {
		return c.Clock.Now().Add(-20 * time.Millisecond)
	}
	return c.Clock.Now()
}

// At the time of --by held jobs are left out at once: nobody has to release them. The clock may be set back meanwhile.
func TestBudgetEndsHold(t *testing.T) {
	t.Parallel()
	p := without(t)
	p.Live = live.New()
	p.Live.Hold(true)
	p.Budget = &pool.Budget{Cores: -1, By: time.Now().Add(50 * time.Millisecond), Clock: &setBack{Clock: clock.Real}}
	for _, o := range runAll(t, p, job("p0", 0, "iterate 5"), job("p1", 1, "iterate 5")) {
		if e, ok := errors.AsType[*run.RunError](o.Err); !ok || !strings.Contains(e.Reason, "is over") {
			t.Error(o.Err)
		}
	}
}
