package session

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// An interrupted transient is kept up to its interruption, beside the cases solved before; cases that had not begun are
// left out.
func TestInterruptedTransientIsKept(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	slow := config.Case{
		Name: "slow", Kind: "transient", Transient: &config.Transient{Duration: 1e6, Every: 0.5, RTol: 1e-6,
			ATol: 1e-3, Integrator: "dormand-prince",
			Schedules: []config.Schedule{enginetest.Fuel(0, 0.9)}}}
	late := slow
	late.Name = "late"
	cfg.Cases = append(cfg.Cases, slow, late)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	var last event.Event
	watch := func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		last = e
		if e.Values["t"] > 3 {
			cancel()
		}
	}
	r, err := runCases(ctx, cfg, []string{"design", "slow", "late"}, transient.Options{Observe: watch})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if len(r.Cases) != 2 || r.Cases[0].Name != "design" || r.Cases[1].Name != "slow" {
		t.Fatalf("%d cases", len(r.Cases))
	}
	c := r.Cases[1]
	if c.Converged || c.Ended == nil || c.Ended.Reason != "interrupted" || !(c.Ended.T > 3 && c.Ended.T < 1e6) ||
		c.Ended.T != last.Values["t"] {
		t.Errorf("it ends by %+v at %g s", c.Ended, last.Values["t"])
	}
	h := c.History
	n := h.Column("shafts.spool.N")
	if end := len(h.T) - 1; h.T[end] != c.Ended.T || n[end] != c.Shafts["spool"]["N"] {
		t.Errorf("the history ends at %g s with %g rpm, the transient at %g s with %g rpm", h.T[end], n[end],
			c.Ended.T, c.Shafts["spool"]["N"])
	}
	if last.Name != "slow" || last.Kind != event.Progress || last.Values["duration"] != 1e6 ||
		!(last.Values["step"] > 0) || last.Values["steps"] == 0 || last.Wall <= 0 {
		t.Errorf("progress %+v", last)
	}
	at, speed := last.Values["t"], last.Values["shafts.spool.N"]
	if i := slices.Index(n, speed); i < 0 || h.T[i] > at || h.T[i] < at-0.5 {
		t.Errorf("progress shows %g rpm at %g s", speed, at)
	}
	if len(r.Warnings) != 1 || r.Warnings[0].Rule != "schedule_start" {
		t.Errorf("warnings %v: an interruption is the user's own", r.Warnings)
	}
}

// A design ends with its context, as cases do.
func TestDesignIsInterrupted(t *testing.T) {
	m := must.Value(graph.New(enginetest.E3(t)))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := New(ctx, m); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", s, err)
	}
}

// looks is a context that ends when it is looked at for the n-th time.
type looks struct {
	context.Context
	mu   sync.Mutex
	left int
	seen int
}

func (l *looks) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen++; l.seen >= l.left {
		return context.Canceled
	}
	return nil
}

// A design checks its context in every evaluation, also in one solve of Newton's method and in the search for a start,
// and stops once it has ended.
func TestDesignLooksAtItsContext(t *testing.T) {
	for name, cfg := range map[string]*config.Engine{
		"solved": enginetest.E3(t),
		"no start": enginetest.Parse(t,
			strings.NewReplacer("PR: 13.5, eff: 83 %", "PR: 30, eff: 40 %").Replace(enginetest.Turbojet)),
	} {
		design := func(ctx context.Context) (int, error) {
			m := steady.New(must.Value(graph.New(cfg))(t))
			info, err := m.Design(ctx)
			return info.Evaluations, err
		}
		never := &looks{Context: context.Background(), left: math.MaxInt}
		all, err := design(never)
		if errors.Is(err, context.Canceled) || never.seen < all-5 {
			t.Errorf("%s: %d looks in %d evaluations, %v", name, never.seen, all, err)
		}
		for _, at := range []int{1, never.seen / 3, never.seen / 2} {
			ctx := &looks{Context: context.Background(), left: at}
			some, err := design(ctx)
			if !errors.Is(err, context.Canceled) || some > at+5 {
				t.Errorf("%s, ended at look %d of %d: %d of %d evaluations, %v", name, at, never.seen, some, all, err)
			}
		}
	}
}
