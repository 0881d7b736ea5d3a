package run_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

func ExampleBoard() {
	b := run.NewBoard(4)
	host := func(run string, e event.Event) {
		e.Run, e.Source = run, event.Host
		b.Observe(e)
	}
	host("n100-p1", event.Event{Kind: event.Ended, Class: event.Converged, Cached: true})
	host("n100-p2", event.Event{Kind: event.Started})
	host("n100-p3", event.Event{Kind: event.Started})
	b.Observe(event.Event{Run: "n100-p3", Source: event.Plugin, Kind: event.Iteration, Values: map[string]float64{"iteration": 240, "residual": 3.2e-4}})
	host("n100-p2", event.Event{Kind: event.Ended, Class: event.Crashed, Follows: true})
	host("n100-p2~2", event.Event{Kind: event.Started})
	fmt.Println(b.Progress())
	host("n100-p2~2", event.Event{Kind: event.Ended, Class: event.Stalled})
	fmt.Println(b.Progress())
	// Output:
	// 1/4 done, 1 from the cache | n100-p2~2 0 0.0e+00 | n100-p3 240 3.2e-04
	// 2/4 done, 1 from the cache, 1 failed | n100-p3 240 3.2e-04
}

func TestBoardFollowsAPool(t *testing.T) {
	p := newPool(t)
	p.Policy = run.DefaultPolicy()
	jobs := []run.Job{job("a", 1, "iterate 3"), job("b", 1, "crash"), job("c", 1, "iterate 2; once x")}
	b := run.NewBoard(len(jobs))
	p.Observe = b.Observe
	if _, err := p.Run(context.Background(), jobs); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Progress().String(), "3/3 done, 1 failed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
