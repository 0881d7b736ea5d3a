package makespan_test

import (
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

// The critical path ends though tasks take no more time than clocks tell apart.
func TestTasksOfNoTime(t *testing.T) {
	t.Parallel()
	for _, long := range []time.Duration{1, 100, time.Microsecond, 2 * time.Microsecond} {
		var events []event.Event
		put := func(at time.Duration, e event.Event) {
			e.Time = time.Unix(0, 0).Add(at)
			events = append(events, e)
		}
		put(0, event.Event{Kind: event.StudyBegun, Source: event.Executive})
		for _, job := range []string{"a", "b"} {
			put(0, event.Event{Kind: event.Planned, Source: event.Executive, Run: job})
			put(time.Second, event.Event{Kind: event.Started, Source: event.Host, Run: job, Attempt: 1})
			put(time.Second+long, event.Event{Kind: event.Ended, Source: event.Host, Run: job, Attempt: 1,
				Class: event.Converged})
		}
		put(2*time.Second, event.Event{Kind: event.StudyEnded, Source: event.Executive})
		all := 0.0
		for _, s := range makespan.Of(events).Critical {
			all += s.Seconds
		}
		if all < 1.99 || all > 2.01 {
			t.Errorf("%v: a path of %v s", long, all)
		}
	}
}
