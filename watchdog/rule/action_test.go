package rule_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// A name in a new value is the object, as it was given and as commands changed it since, whatever the solver reports
// under that name; else it is what the solver reports. Where it is neither, nothing is done, and the finding says so.
func TestNewValues(t *testing.T) {
	set := compile(t,
		config.Rule{Name: "half", When: "iteration > 0", Repeat: 1, Severity: rule.Warning, Action: rule.Change,
			Set:   map[string]float64{"other": 7},
			SetTo: map[string]string{"cfl": "cfl / 2", "sensors.history.on": "true", "x": "x + 1"}},
		config.Rule{Name: "lacks", When: "iteration > 0", Severity: rule.Warning, Action: rule.Change,
			SetTo: map[string]string{"a": "nowhere"}},
		config.Rule{Name: "infinite", When: "iteration > 0", Severity: rule.Warning, Action: rule.Change,
			SetTo: map[string]string{"a": "x / 0"}},
	)
	m := rule.NewMonitor(set)
	var got []string
	feed := func(e event.Event) {
		e.Run, e.Time = "r", epoch
		for _, f := range m.Event(e) {
			said := f.Does.String()
			if f.Action == "" {
				said = f.Message
			}
			got = append(got, f.Rule+": "+said)
		}
	}
	iteration := func(n float64) {
		feed(event.Event{
			Source: event.Plugin, Kind: event.Iteration,
			Values: map[string]float64{"iteration": n, "cfl": 99, "x": 10 * n},
		})
	}
	number := func(x float64) event.Value { return event.Value{Type: event.Float, Number: x} }
	change := func(state event.State, value event.Value) {
		feed(event.Event{
			Source: event.Plugin, Kind: event.Command,
			Act: &event.Receipt{Verb: "set", State: state, Effects: []event.Done{{Object: "cfl", New: value}}},
		})
	}
	feed(event.Event{Source: event.Host, Kind: event.Asked, Values: map[string]float64{"cfl": 8}})
	iteration(1)
	change("applied", number(3))
	iteration(2)
	change("refused", number(1))
	change("applied", event.Value{Type: event.Text, Text: "text"})
	iteration(3)
	want := []string{
		"half: set cfl = 4, other = 7, x = 11, sensors.history.on = true",
		"lacks: the rule cannot be judged here: a = nowhere: the run does not report nowhere",
		"infinite: the rule cannot be judged here: a = x / 0 is +Inf, no finite number",
		"half: set cfl = 1.5, other = 7, x = 21, sensors.history.on = true",
		"half: set cfl = 1.5, other = 7, x = 31, sensors.history.on = true",
	}
	must.Equal(t, want, got)
}

// What the actions are, in words, and what is none.
func TestActionWords(t *testing.T) {
	for _, c := range []struct {
		rule config.Rule
		want string
	}{
		{config.Rule{Action: "set", Set: map[string]float64{"b": 1}, SetTo: map[string]string{"a": "a / 2"}},
			"set b = 1, a = a / 2"},
		{config.Rule{Action: "rewind", Target: "here", Set: map[string]float64{"cfl": 5}}, "rewind here, cfl = 5"},
		{config.Rule{Action: "rewind", Target: "here"}, "rewind here"},
		{config.Rule{Action: "call", Target: "write", Argument: "x.vtu"}, "call write x.vtu"},
		{config.Rule{Action: "checkpoint", Target: "here"}, "checkpoint here"},
		{config.Rule{Action: "first", Target: "fan-*"}, "first fan-*"},
		{config.Rule{Action: "workers", Workers: 4}, "workers 4"},
		{config.Rule{Action: "resume"}, "resume"},
		{config.Rule{Action: "set"}, "!"},
		{config.Rule{Action: "rewind"}, "!"},
		{config.Rule{Action: "call"}, "!"},
		{config.Rule{Action: "first", Target: "["}, "!"},
		{config.Rule{Action: "workers"}, "!"},
	} {
		a := rule.ActionOf(&c.rule)
		got := fmt.Sprint(a)
		c.rule.Name, c.rule.When, c.rule.Severity = "x", "iteration > 1", rule.Info
		if _, err := rule.New(rule.Shape{}, []config.Rule{c.rule}); err != nil {
			got = "!"
		}
		wide := c.rule
		wide.Each, wide.When, wide.Message = []config.Each{{Name: "a", Kind: "run"}}, "a.x > 1", "m"
		if wide.SetTo != nil {
			wide.SetTo = map[string]string{"cfl": "a.x / 2"}
		}
		if _, err := rule.NewStudy(nil, []config.Rule{wide}); (err != nil) != (c.want == "!") {
			t.Errorf("%+v on a study: %v", wide, err)
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.rule, got, c.want)
		}
	}
}

// A condition that cannot be judged is said, and does nothing.
func TestNoActionWithoutJudgement(t *testing.T) {
	set := compile(t, config.Rule{Name: "hub", When: "profile_V[7] > 1", Severity: rule.Severe, Action: rule.Stop,
		Act: true})
	_, found := feed(t, set, event.Event{Run: "r", Source: event.Plugin, Kind: event.Profile, Time: epoch,
		Arrays: map[string][]float64{"V": {1}}})
	f, n := of(found, "hub")
	if n != 1 || f.Acts || f.Action != "" || f.Does.Verb != "" || f.Severity != rule.Warning ||
		!strings.HasPrefix(f.Message, "the rule cannot be judged here: ") {
		t.Errorf("%d: %+v", n, f)
	}
}

// While a run is silent, a condition that does not name the silence is not judged again: it does not count to hold.
func TestSilenceCountsNoOtherCondition(t *testing.T) {
	m, found := feed(t, compile(t, config.Rule{Name: "either", When: "x > 1", Or: []string{"silent > 9"}, Hold: 2}),
		iterations(2)...)
	for _, c := range []struct{ after, want int }{{5, 0}, {20, 1}} {
		found = append(found, m.Tick(epoch.Add(time.Duration(c.after)*time.Second))...)
		if _, n := of(found, "either"); n != c.want {
			t.Errorf("%d findings after %d s, want %d", n, c.after, c.want)
		}
	}
}

// A rule that sets something and acts lets twenty iterations pass, unless it says how often.
func TestSetWaits(t *testing.T) {
	x := map[string]float64{"cfl": 5}
	odd := "odd > 0"
	set := compile(t,
		config.Rule{Name: "waits", When: odd, Severity: rule.Warning, Action: rule.Change, Set: x, Act: true},
		config.Rule{Name: "notes", When: odd, Severity: rule.Warning, Action: rule.Change, Set: x},
		config.Rule{Name: "often", When: odd, Pause: 10, Severity: rule.Warning, Action: rule.Change, Set: x,
			Act: true},
	)
	events := iterations(make([]float64, 60)...)
	for i := range events {
		events[i].Values["odd"] = float64((i + 1) % 2)
	}
	_, found := feed(t, set, events...)
	for name, want := range map[string]int{"waits": 3, "notes": 30, "often": 5} {
		if _, n := of(found, name); n != want {
			t.Errorf("%s fired %d times, want %d", name, n, want)
		}
	}
}
