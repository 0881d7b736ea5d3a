package pool

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// Jobs that were dropped before a hold ended do not start, even if both happen while the pool reads its settings.
func TestDroppedWhileSettingsAreRead(t *testing.T) {
	t.Parallel()
	p := &Pool{Runner: attempt.Runner{Host: &attempt.Host{}, Live: live.New(), Clock: clock.Real}, Workers: 1}
	p.Live.Hold(true)
	b := newBatch(p)
	b.leftOut = func(j run.Job, _ string) run.Outcome { return run.NewOutcome(j, run.NotRun, nil) }
	if starts := must.Value(b.begin([]run.Job{{Name: "p1"}, {Name: "p2"}}))(t); len(starts) > 0 {
		t.Fatalf("%v start in a held study", starts)
	}
	b.queue.room = func() (int, int, <-chan struct{}, bool) {
		must.OK(t, p.Live.Drop("p1"))
		p.Live.Hold(false)
		return p.room()
	}
	if starts := b.turn(); len(starts) != 1 || starts[0].Job != "p2" {
		t.Errorf("%v start, want p2 alone", starts)
	}
}
