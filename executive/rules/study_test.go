package rules

import (
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// A rule on all runs of a study warns with the names of the runs, and acts on running ones if it requests that: on each
// by the run's next event, or by the clock. An action on a run because of others is marked, so that no cache keeps the
// run.
func TestRulesOnStudyAct(t *testing.T) {
	rules := func(act string) string {
		return `  - {name: lost_two, when: 'count(runs, .lost) >= 2', message: "{count(runs, .lost)} are lost", action: stop` + act + `}
  - {name: shaky, each: {a: run}, when: 'a.x > 5 and count(runs, .lost) >= 1', action: {set: {cfl: 5}}` + act + `}
`
	}
	for _, acts := range []bool{false, true} {
		text := rules("")
		if acts {
			text = rules(", act: true")
		}
		j := newJudged(t, text)
		would := j.would()
		n := int64(0)
		see := func(name string, source event.Source, kind event.Kind, class event.Class,
			x float64) (*attempt.Halt, []attempt.Instruction) {
			n++
			e := event.Event{Run: name, Source: source, Seq: n, Time: time.Unix(n, 0), Kind: kind, Class: class,
				Attempt: 1}
			if kind == event.Iteration {
				e.Values = map[string]float64{"iteration": float64(n), "residual": 1, "x": x}
			}
			return j.Observe(e), j.Orders(name)
		}
		for _, name := range []string{"p", "q", "r", "s"} {
			see(name, event.Host, event.Started, "", 0)
		}
		see("p", event.Host, event.Ended, event.Crashed, 0)
		if halt, orders := see("s", event.Plugin, event.Iteration, "", 1); halt != nil || len(orders) > 0 {
			t.Errorf("acts %v: too early: %+v, %+v", acts, halt, orders)
		}
		_, orders := see("s", event.Plugin, event.Iteration, "", 6)
		see("q", event.Host, event.Ended, event.Crashed, 0)
		halt, _ := see("r", event.Plugin, event.Iteration, "", 1)
		later := j.byTheClock(time.Unix(n, 0))
		if !acts {
			want := []string{"shaky: set cfl = 5 on s", "lost_two: stop on r, s"}
			if strings.Join(*would, "; ") != strings.Join(want, "; ") || halt != nil || len(orders)+len(later) > 0 {
				t.Errorf("would %q, halts %+v, %+v, orders %+v", *would, halt, later, orders)
			}
		} else {
			if len(orders) != 1 || orders[0].Verb != steer.Set || orders[0].Changes[0].Object != "cfl" ||
				orders[0].Changes[0].Value.Number != 5 || !orders[0].Beyond {
				t.Errorf("orders %+v", orders)
			}
			if halt == nil || !halt.Beyond || !strings.Contains(halt.Message, "lost_two: 2 are lost") {
				t.Errorf("halt %+v", halt)
			}
			if s, ok := later["s"]; !ok || !s.Beyond || len(later) != 1 || len(*would) > 0 {
				t.Errorf("by the clock %+v, would %q", later, *would)
			}
		}
		var named bool
		for _, w := range j.Warnings() {
			named = named || w.Rule == "lost_two" && strings.Join(w.Runs, " ") == "p q"
		}
		if !named {
			t.Errorf("the warning does not name the runs: %+v", j.Warnings())
		}
	}
}

// Runs that only showed the absence of a flow do not count in a study.
func TestRulesOnStudyLeaveOutEnds(t *testing.T) {
	j := newJudged(t, "  - {name: lost, when: 'any(runs, .lost)'}\n")
	end := func(name string) {
		j.Observe(event.Event{Run: name, Source: event.Host, Kind: event.Started, Attempt: 1, Time: time.Unix(1, 0)})
		j.Observe(event.Event{Run: name, Source: event.Host, Kind: event.Ended, Class: event.Diverged,
			Time: time.Unix(2, 0)})
	}
	j.HoldRuns()
	end("end")
	j.ReleaseRuns(func(string) bool { return true })
	must.Equal(t, 0, j.found("lost"))
	j.HoldRuns()
	end("gap")
	must.Equal(t, 0, j.found("lost"))
	j.ReleaseRuns(func(string) bool { return false })
	must.Equal(t, 1, j.found("lost"))
}
