package rule_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// file compiles a file of rules.
func file(t *testing.T, text string) (*rule.Set, error) {
	t.Helper()
	f := must.Value(config.ParseRules("test", []byte(text)))(t)
	return rule.New(rule.Shape{Functions: f.Functions}, f.Rules)
}

const aboard = `
functions:
  fell(x, n): drop(x) > n
rules:
  - {name: host, when: x > 3}
  - {name: deep, when: "x > 1 and x < 1e9", severity: error}
  - {name: one, when: ['fired("deep") and fell(x, 0.1)', 'x > 2'], hold: 2, repeat: 3, pause: 1, priority: 4, severity: info, message: "{x} \"now\"", action: {set: {y: "x / 3", z: 0.1}}, act: true, where: run}
  - {name: two, when: 'fired("converged")', action: stop, where: run}
`

// The rules that runs judge travel as a text, with those to which they refer, and are the same there.
func TestTextOfRules(t *testing.T) {
	set := must.Value(file(t, aboard))(t)
	text := must.Value(set.Text())(t)
	there, err := rule.ParseText(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	must.Equal(t, []string{"one", "two"}, there.InSitu())
	if diff := cmp.Diff([]string{"one", "converged", "deep", "two"}, there.Names()); diff != "" &&
		len(there.Names()) != 4 {
		t.Error(diff)
	}
	rewritten, err := there.Text()
	if err != nil || rewritten != text {
		t.Errorf("%v\n%s\n%s", err, text, rewritten)
	}
	for _, form := range []string{
		`message: '{fired("converged")}'`,
		`message: m, act: true, action: {set: {cfl: 'fired("converged") ? 1 : 2'}}`,
	} {
		set := must.Value(file(t, "rules:\n  - {name: mine, where: run, when: iteration > 5, "+form+"}\n"))(t)
		there, err := rule.ParseText(must.Value(set.Text())(t))
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		must.Equal(t, []string{"converged", "mine"}, slices.Sorted(slices.Values(there.Names())))
	}
	if none, err := compile(t).Text(); none != "" || err != nil {
		t.Error(none, err)
	}
}

// A run that judges its rules itself finds, iteration by iteration, what a monitor finds that is given the same
// iterations; those rules alone.
func TestCourse(t *testing.T) {
	set := must.Value(file(t, aboard))(t)
	var all []event.Event
	x := func(n int) float64 { return math.Abs(4 * math.Sin(0.3*float64(n)) * math.Exp(-0.02*float64(n))) }
	for n := 1; n <= 200; n++ {
		e := event.Event{
			Run: "r", Source: event.Plugin, Kind: event.Iteration, Time: epoch.Add(time.Duration(n) * time.Second),
			Values: map[string]float64{"iteration": float64(n), "mesh": float64(n / 70)},
		}
		if e.Values["x"] = x(n); n%50 == 0 {
			delete(e.Values, "x")
			e.NonFinite = []string{"x"}
		}
		all = append(all, e)
	}
	_, found := feed(t, set, all...)
	var want, got []string
	for _, f := range found {
		if f.Rule == "one" || f.Rule == "two" {
			want = append(want, fmt.Sprint(f.Rule, f.Message, f.Values, f.Action, f.Acts))
		}
	}
	c := rule.NewCourse(set, rule.Run{Name: "r"})
	values, there := make([]float64, len(c.Names())), make([]bool, len(c.Names()))
	for n := 1; n <= 200; n++ {
		for i, name := range c.Names() {
			switch name {
			case "x":
				values[i], there[i] = x(n), true
				if n%50 == 0 {
					values[i] = math.NaN()
				}
			case "mesh":
				values[i], there[i] = float64(n/70), true
			}
		}
		for _, f := range c.Iteration(int64(n), values, there) {
			got = append(got, fmt.Sprint(f.Rule, f.Message, f.Values, f.Action, f.Acts))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
		t.Errorf("%d findings: %s", len(want), diff)
	}
	// The host leaves them to a run that says that it judges them, and knows from its events that they have fired.
	said := event.Event{Run: "r", Source: event.Plugin, Kind: event.Message, Name: rule.InSitu}
	fired := event.Event{
		Run: "r", Source: event.Plugin, Kind: event.Command, Act: &event.Receipt{State: "applied", Rule: "one"},
	}
	set = must.Value(file(t, aboard+"  - {name: behind, when: 'fired(\"one\") and x > 0'}\n"))(t)
	_, found = feed(t, set, append([]event.Event{said}, all[:40]...)...)
	if _, n := of(found, "one"); n != 0 {
		t.Errorf("the host judges it, too: %d", n)
	}
	_, found = feed(t, set, append([]event.Event{said, fired}, all[:40]...)...)
	if _, n := of(found, "behind"); n != 1 {
		t.Errorf("%d findings behind it", n)
	}
}

// What cannot be judged inside a run is refused.
func TestBadAboard(t *testing.T) {
	for text, want := range map[string]string{
		"when: ended, where: run":                                "ended is not known in the solver's process",
		"when: silent > 5, where: run":                           "silent is not known",
		"when: 'any(profile_Vx, # < 0)', where: run":             "profile_Vx is not known",
		"when: 'fired(\"hung\")', where: run":                    "silent is not known",
		"when: component.PR < 1, where: run":                     "it judges a component",
		"when: x > 1, where: run, action: unusable":              "without an answer to reject",
		"when: x > 1, action: {set: {y: \"lest(x, 3)\"}}":        "did you mean least",
		"when: x > 1, where: run, action: {set: {y: \"x > 1\"}}": "expected float64, but got bool",
		"when: x > 1, where: run, action: {rewind: here}":        "rewind here is done by the host",
		"when: state == 'stalled', where: run":                   "state is not known",
		"act: true": "no built-in rule of this name that waits to be " +
			"switched on",
		"when: x > 1, where: run, action: {set: {y: iteraton}}": "did you mean iteration",
	} {
		if _, err := file(t, "rules:\n  - {name: mine, "+text+"}\n"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	_, err := rule.New(rule.Shape{}, []config.Rule{{Name: "cfl_governer", Pos: document.Pos{Line: 3, Column: 1}}})
	must.Fail(t, err, "did you mean cfl_governor")
}

// A built-in rule that is off is among the rules once a file names it, and has what the file says besides.
func TestSwitchedOn(t *testing.T) {
	set := must.Value(file(t, "rules:\n  - {name: cfl_governor, act: true, repeat: 7}\n"))(t)
	all := set.List()
	for _, l := range all {
		if l.Name == "cfl_governor" {
			if !l.Act || l.Repeat != 7 || l.Where != "run" || l.Severity != rule.Info || l.Builtin ||
				!strings.HasPrefix(l.Action, "set cfl = ") || len(all) != len(compile(t).List()) ||
				len(set.Names()) != len(compile(t).Names())+1 {
				t.Errorf("%+v", l)
			}
			return
		}
	}
	t.Error("it is not there")
}
