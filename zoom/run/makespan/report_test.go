package makespan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
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

// An attempt beside another has the time of a further worker.
func TestTimeOfAnAttemptBesideAnother(t *testing.T) {
	t.Parallel()
	var events []event.Event
	put := func(at float64, e event.Event) {
		e.Time = time.Unix(0, 0).Add(time.Duration(at * float64(time.Second)))
		events = append(events, e)
	}
	put(0, event.Event{Kind: event.StudyBegun, Source: event.Executive})
	put(1, event.Event{Kind: event.Started, Source: event.Host, Run: "a", Attempt: 1})
	put(4, event.Event{Kind: event.Started, Source: event.Host, Run: "a~2", Attempt: 2})
	put(7, event.Event{Kind: event.Ended, Source: event.Host, Run: "a", Attempt: 1, Class: event.Hung})
	put(9, event.Event{Kind: event.Ended, Source: event.Host, Run: "a~2", Attempt: 2, Class: event.Converged})
	put(9, event.Event{Kind: event.Span, Name: "slot", Source: event.Executive, Run: "a", Wall: 8,
		Values: map[string]float64{"batch": 1, "workers": 2}})
	put(10, event.Event{Kind: event.StudyEnded, Source: event.Executive})
	if w := makespan.Of(events).Workers; w.Used != 11./16 || w.Idle != 5 {
		t.Errorf("%+v", w)
	}
	c := makespan.CourseOf(events)
	for run, want := range map[string]float64{"a": 6, "a~2": 5} {
		if _, got, workers := c.Attempt(run); got != want || workers != 2 {
			t.Errorf("%s: %v s of %d workers", run, got, workers)
		}
	}
}

// oneAfterTheOther is a study by a single worker of runs that take so many seconds; those above 5 s are of another
// component if two are wanted.
func oneAfterTheOther(two bool, takes ...int) (events []event.Event) {
	now := 0
	put := func(e event.Event) {
		e.Time = time.Unix(int64(now), 0)
		events = append(events, e)
	}
	put(event.Event{Kind: event.StudyBegun, Source: event.Executive})
	for i, seconds := range takes {
		job, component := fmt.Sprint("j", i), "fan"
		if two && seconds > 5 {
			component = "turbine"
		}
		put(event.Event{Kind: event.Started, Source: event.Host, Run: job, Attempt: 1})
		now += seconds
		put(event.Event{Kind: event.Ended, Source: event.Host, Run: job, Attempt: 1, Class: event.Converged})
		put(event.Event{Kind: event.Span, Name: "slot", Source: event.Executive, Run: job, Component: component,
			Wall: float64(seconds), Values: map[string]float64{"batch": 1, "workers": 1}})
	}
	put(event.Event{Kind: event.StudyEnded, Source: event.Executive})
	return events
}

// Stragglers are counted. Runs of a component that usually take long are none among the short ones of another.
func TestStragglers(t *testing.T) {
	t.Parallel()
	takes := []int{1, 1, 10, 1, 1, 1, 20, 1}
	if c := makespan.Of(oneAfterTheOther(true, append(takes, 10)...)).Cause; c.Kind != makespan.ColdCache {
		t.Errorf("%+v", c)
	}
	must.Equal(t, "straggler: j6 took 20.0 s, and such a run usually 1.0 s; if it and 1 other took no longer, the "+
		"study "+
		"would take 8.0 s", makespan.Of(oneAfterTheOther(false, takes...)).Cause.Text)
}
