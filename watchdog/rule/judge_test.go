package rule_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

func TestJudge(t *testing.T) {
	converges := recorded(t, "throughflow-converges.dat")
	limit := recorded(t, "throughflow-limit.dat")
	unstable := advection(t, 3200)
	neutral := acoustics(t, 400)
	good := result(map[string]float64{"PR": 1.65, "eff": 0.88})
	join := func(first []event.Event, more ...event.Event) []event.Event {
		return append(append([]event.Event(nil), first...), more...)
	}
	for _, c := range []struct {
		name   string
		events []event.Event
		want   event.Class
	}{
		{"goes on", limit, ""},
		{"the solver's word", join(converges, good, ended(event.Plugin, event.Stalled)), event.Stalled},
		{"the solver says nothing, but it converged", join(converges, good, ended(event.Host, "")), event.Converged},
		{"crashed after its result", join(converges, good, ended(event.Host, event.Crashed)), event.Converged},
		{"a result without convergence", join(limit, good), event.NotConverged},
		{"limit reached", join(join([]event.Event{started(700)}, limit...), ended(event.Host, "")), event.NotConverged},
		{"oscillates at the limit", join(join([]event.Event{started(400)}, neutral...), ended(event.Host, "")), event.Stalled},
		{"NaN, then stopped", join(unstable, ended(event.Host, event.Killed)), event.Diverged},
		{"grows, then crashes", join(unstable[:200], ended(event.Host, event.Crashed)), event.Diverged},
		{"no result", join(limit, ended(event.Host, event.Crashed)), event.Crashed},
		{"nothing at all", []event.Event{ended(event.Host, "")}, event.Crashed},
		{"timeout", join(limit, ended(event.Host, event.Timeout)), event.Timeout},
		{"NaN in the result", join(converges, result(nil, "PR"), ended(event.Plugin, event.Converged)), event.Diverged},
		{"an answer that cannot be", join(converges, result(map[string]float64{"PR": 1.2, "eff": 1.3}), ended(event.Plugin, event.Converged)), event.Unphysical},
	} {
		m, _ := feed(t, compile(t), c.events...)
		if v := m.Judge("r"); v.Class != c.want || v.Reason == "" {
			t.Errorf("%s: %+v; want %q", c.name, v, c.want)
		}
	}
	if v := rule.NewMonitor(compile(t)).Judge("unknown"); v.Class != "" {
		t.Errorf("%+v", v)
	}
}
