package rule_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// iterations are events of a file, one for each value of x.
func iterations(x ...float64) []event.Event {
	var all []event.Event
	for i, x := range x {
		all = append(all, event.Event{Run: "r", Source: event.File, File: "history.dat", Kind: event.Iteration,
			Time:   epoch.Add(time.Duration(i) * time.Second),
			Values: map[string]float64{"iteration": float64(i + 1), "x": x}})
	}
	return all
}

// fires lists the iterations at which a rule fires on the values of x.
func fires(t *testing.T, set *rule.Set, name string, x ...float64) (at []string) {
	t.Helper()
	_, found := feed(t, set, iterations(x...)...)
	for _, f := range found {
		if f.Rule == name {
			at = append(at, strings.TrimPrefix(f.Message, "at "))
		}
	}
	return at
}

// A rule that refers to another one is judged behind it, whatever their places and priorities.
func TestOrderOfRules(t *testing.T) {
	one, two := config.Rule{Name: "one", When: `fired("two")`}, config.Rule{Name: "two", When: "x > 1"}
	three := config.Rule{Name: "three", When: `x > 1 and not fired("two")`, Priority: 10}
	for _, order := range [][]config.Rule{{one, two, three}, {two, one, three}, {three, one, two}} {
		_, found := feed(t, compile(t, order...), iterations(0, 2)...)
		if diff := cmp.Diff([]string{"two", "one"}, named(found)); diff != "" {
			t.Error(diff)
		}
	}
}

func named(found []rule.Finding) (names []string) {
	for _, f := range found {
		names = append(names, f.Rule)
	}
	return names
}

// The higher priority comes first, then the place in the file.
func TestPriority(t *testing.T) {
	set := compile(t, config.Rule{Name: "a", When: "x > 1"}, config.Rule{Name: "b", When: "x > 1", Priority: 1},
		config.Rule{Name: "c", When: "x > 1", Priority: -1}, config.Rule{Name: "d", When: "x > 1"})
	_, found := feed(t, set, iterations(2)...)
	must.Equal(t, []string{"b", "a", "d", "c"}, named(found))
}

// Rules that support each other are judged until none fires any more, for one event.
func TestCircle(t *testing.T) {
	set := compile(t,
		config.Rule{Name: "a", When: `fired("b")`},
		config.Rule{Name: "b", When: `fired("c") or x > 5`},
		config.Rule{Name: "c", When: `fired("a") or x > 1`},
	)
	_, found := feed(t, set, iterations(2, 2)...)
	must.Equal(t, []string{"c", "b", "a"}, named(found))
}

// A circle in which a rule needs that another has not fired is an error at its place.
func TestContradiction(t *testing.T) {
	_, err := rule.New(rule.Shape{}, []config.Rule{
		{Name: "a", When: `x > 1 and not fired("b")`, Severity: rule.Warning, Pos: document.Pos{Line: 3, Column: 5}},
		{Name: "b", When: `fired("a")`, Severity: rule.Warning, Pos: document.Pos{Line: 4, Column: 5}},
	})
	var fault *language.Error
	if !errors.As(err, &fault) ||
		!strings.HasPrefix(
			err.Error(),
			`3:5: rule a: "fired(\"b\")": the rules a, b refer to each other, and this one needs that b has not fired`,
		) {
		t.Error(err)
	}
}

// When a rule fires: as soon as it holds, again after it has not held, and by its keys.
func TestRepetition(t *testing.T) {
	x := []float64{0, 2, 2, 2, 2, 2, 2, 0, 2, 2, 2}
	for _, c := range []struct {
		rule config.Rule
		want string
	}{
		{config.Rule{}, "2 9"},
		{config.Rule{Hold: 2}, "3 10"},
		{config.Rule{Repeat: 2}, "2 4 6 9 11"},
		{config.Rule{Repeat: 2, Hold: 2}, "3 5 7 10"},
		{config.Rule{Pause: 4}, "2 9"},
		{config.Rule{Pause: 7}, "2"},
		{config.Rule{Pause: 5, Repeat: 1}, "2 7"},
	} {
		c.rule.Name, c.rule.When, c.rule.Message = "mine", "x > 1", "at {iteration}"
		if got := strings.Join(fires(t, compile(t, c.rule), "mine", x...), " "); got != c.want {
			t.Errorf("%+v: at %s; want %s", c.rule, got, c.want)
		}
	}
}

// One of several conditions is enough.
func TestSeveralConditions(t *testing.T) {
	set := compile(t, config.Rule{Name: "mine", When: "x < 1", Or: []string{"false", "x > 2"},
		Message: "at {iteration}"})
	if got := fires(t, set, "mine", 1, 3, 1, 0); strings.Join(got, " ") != "2 4" {
		t.Error(got)
	}
}

// A solver's own values can be named, whether or not it describes them.
func TestUndescribedValues(t *testing.T) {
	set := compile(t, config.Rule{Name: "mine", When: "residual_Ux < 0.5 and drop(residual_Ux) > 1 and Co_max < 1"})
	e := func(i int, ux float64) event.Event {
		return event.Event{Run: "r", Source: event.File, Kind: event.Iteration, Time: epoch,
			Values: map[string]float64{"iteration": float64(i), "residual_Ux": ux, "residual_p": 1, "Co_max": 0.5}}
	}
	if _, found := feed(t, set, e(1, 1), e(2, 0.2)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if _, found := feed(t, set, e(1, 1), e(2, 0.05)); len(found) != 1 {
		t.Errorf("%+v", found)
	}
}

// A run that was told to pause is not hung, until it goes on.
func TestPausedByCommand(t *testing.T) {
	m, _ := feed(t, compile(t), recorded(t, "throughflow-converges.dat")[:30]...)
	command := func(verb string, after time.Duration) []rule.Finding {
		return m.Event(event.Event{Run: "r", Source: event.Host, Kind: event.Command, Name: verb,
			Time: epoch.Add(after)})
	}
	command("pause", 4*time.Second)
	if found := m.Tick(epoch.Add(time.Hour)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	command("resume", time.Hour)
	if found := m.Tick(epoch.Add(time.Hour + 59*time.Second)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if found := m.Tick(epoch.Add(time.Hour + 61*time.Second)); len(found) != 1 || found[0].Rule != "hung" {
		t.Errorf("%+v", found)
	}
}

// Where the solver reports what became of commands, a run is held as long as something holds it.
func TestHeldBySolversWord(t *testing.T) {
	m, _ := feed(t, compile(t), recorded(t, "throughflow-converges.dat")[:30]...)
	at := epoch
	quiet := func(verb event.Verb, state event.State, held, hung bool) {
		t.Helper()
		at = at.Add(time.Second)
		m.Event(event.Event{Run: "r", Source: event.Plugin, Kind: event.Command, Name: string(verb), Time: at,
			Act: &event.Receipt{Verb: verb, State: state, Held: held}})
		at = at.Add(time.Hour)
		if found := m.Tick(at); len(found) != 0 != hung {
			t.Errorf("%s %s, held %v: %+v", verb, state, held, found)
		}
	}
	quiet("pause", "applied", true, false)
	quiet("step", "applied", true, false)
	quiet("set", "applied", false, false)
	quiet("resume", "applied", true, false) // a synch point holds it
	quiet("release", "refused", false, false)
	at = at.Add(time.Second)
	m.Event(event.Event{Run: "r", Source: event.Plugin, Kind: event.Command, Name: "release", Time: at,
		Act: &event.Receipt{Verb: "release", State: "applied"}})
	if found := m.Tick(at.Add(59 * time.Second)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	quiet("pause", "refused", false, true)
}

// Profiles are lists in conditions, and judged when they come.
func TestProfiles(t *testing.T) {
	set := compile(t,
		config.Rule{
			Name: "hub", When: "any(profile_Vx[:3], # < 0)", Message: "at {iteration}: least {min(profile_Vx)}",
		})
	profile := func(vx ...float64) event.Event {
		return event.Event{Run: "r", Source: event.Plugin, Kind: event.Profile, Time: epoch,
			Arrays: map[string][]float64{"Vx": vx}}
	}
	all := append(iterations(1), profile(3, 2, 1, -1), profile(-3, 2, 1, 5))
	_, found := feed(t, set, append(all, ended(event.Plugin, event.Converged))...)
	if f, n := of(found, "hub"); n != 1 || f.Message != "at 1: least -3" {
		t.Errorf("%+v", found)
	}
}

// An action is taken only where its rule says so.
func TestActs(t *testing.T) {
	set := compile(t,
		config.Rule{Name: "noted", When: "x > 1", Action: rule.Stop},
		config.Rule{Name: "taken", When: "x > 1", Action: rule.Change, Set: map[string]float64{"CFL": 5}, Act: true},
		config.Rule{Name: "none", When: "x > 1", Act: true},
	)
	_, found := feed(t, set, iterations(2)...)
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprint(f.Rule, " ", f.Action, " ", f.Acts, " ", f.Values))
	}
	must.Equal(t, []string{"noted stop false map[]", "taken set true map[CFL:5]", "none  false map[]"}, got)
}
