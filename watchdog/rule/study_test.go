package rule_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

var rotors = rule.Map{Speed: "N", Throttle: "throttle"}

// compiled compiles rules as a file has them.
func compiled(t testing.TB, text string) *rule.Set {
	t.Helper()
	return must.Value(parsed(text))(t)
}

func parsed(text string) (*rule.Set, error) {
	if text == "" {
		return rule.NewStudy(nil, nil)
	}
	file, err := config.ParseRules("rules.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return rule.NewStudy(file.Functions, file.Rules)
}

// feedStudy judges events and returns the findings as text.
func feedStudy(m *rule.StudyMonitor, events ...event.Event) (found []string) {
	for _, e := range events {
		for _, f := range m.Event(e) {
			found = append(found, fmt.Sprintf("%s: %s %v", f.Rule, f.Message, f.Runs))
		}
	}
	return found
}

// startedRun is a run that starts on the fan's map.
func startedRun(name string, speed, throttle float64) []event.Event {
	return []event.Event{
		{Run: name, Component: "fan", Source: event.Host, Kind: event.Started, Attempt: 1, Time: epoch},
		{Run: name, Component: "fan", Source: event.Host, Kind: event.Asked, Name: "throughflow 3", Text: "cells 10",
			Values: map[string]float64{"N": speed, "throttle": throttle}, Time: epoch},
	}
}

// ends is how a run ends; with an answer, if there are values.
func ends(name string, class event.Class, values map[string]float64) (list []event.Event) {
	if values != nil {
		list = append(list, event.Event{Run: name, Source: event.Host, Kind: event.Result, Values: values, Time: epoch})
	}
	return append(list, event.Event{Run: name, Source: event.Host, Kind: event.Ended, Class: class, Time: epoch})
}

func flow(w float64) map[string]float64 { return map[string]float64{"W": w, "PR": 1.5} }

// A rule comes by its priority, and its message counts what there is when all is worked out: not the two doubts with
// which its condition began to hold.
func TestTwoDisagree(t *testing.T) {
	set := compiled(t, `
rules:
  - name: two_disagree
    each: {a: run, b: run}
    when: a.component == b.component and abs(a.answer.PR - b.answer.PR) > 0.01 * a.answer.PR
    message: "{a.name} has {a.answer.PR}, {b.name} {b.answer.PR}"
    assert: {doubt: {run: b.name, by: a.answer.PR - b.answer.PR}}
  - name: doubted
    when: count(doubts, true) >= 2
    priority: 10
    message: "{count(doubts, true)} doubts"
  - {name: large, each: {d: doubt}, when: d.by > 0.5 and d.run != "", message: "{d.run}"}
`)
	m := rule.NewStudyMonitor(set, rotors)
	pr := func(x float64) map[string]float64 { return map[string]float64{"PR": x} }
	var found []string
	for i, x := range []float64{1.5, 1.501, 1.6, 0.9} {
		name := string(rune('p' + i))
		found = append(found,
			feedStudy(m, slices.Concat(startedRun(name, 1000, float64(i)), ends(name, event.Converged, pr(x)))...)...)
		found = append(found, "-")
	}
	want := []string{"-", "-",
		"doubted: 4 doubts []", "two_disagree: p has 1.5, r 1.6 [p r]", "two_disagree: q has 1.501, r 1.6 [q r]", "-",
		"two_disagree: p has 1.5, s 0.9 [p s]", "two_disagree: q has 1.501, s 0.9 [q s]",
		"two_disagree: r has 1.6, s 0.9 [r s]",
		"large: s []", "-"}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// The built-in rules on good runs find nothing, on bad ones what they are for.
func TestBuiltin(t *testing.T) {
	line := func(classes ...event.Class) (list []event.Event) {
		for i := range classes {
			list = append(list, startedRun(fmt.Sprint("r", i), 3400, 0.25+0.02*float64(i))...)
		}
		for i, c := range classes {
			var answer map[string]float64
			if c == event.Converged {
				answer = flow(600 - 10*float64(i))
			}
			list = append(list, ends(fmt.Sprint("r", i), c, answer)...)
		}
		return list
	}
	ok, lost, stalled := event.Converged, event.Crashed, event.Stalled
	rising := slices.Concat(line(ok, ok, ok), startedRun("odd", 3400, 0.40), ends("odd", ok, flow(585)))
	other := slices.Concat(line(ok, ok, ok), startedRun("odd", 3500, 0.40), ends("odd", ok, flow(600)))
	for _, c := range []struct {
		name   string
		events []event.Event
		want   []string
	}{
		{"good", line(ok, ok, ok, ok, ok, stalled, stalled), nil},
		{"one lost", line(ok, ok, lost), nil},
		{"two of six", line(ok, lost, ok, ok, lost, ok), nil},
		{
			"two of five", line(ok, lost, ok, ok, lost),
			[]string{"curve_lost_two: the speed line at 3400 rpm of fan lost 2 of its 5 runs"},
		},
		{
			"more flow", rising,
			[]string{
				"neighbours_disagree: r2 and odd disagree: with the throttle closed from 0.29 to 0.4 the flow rises " +
					"from 580 to 585 kg/s",
			},
		},
		{"of another line", other, nil},
	} {
		m := rule.NewStudyMonitor(compiled(t, ""), rotors)
		found := feedStudy(m, c.events...)
		for i := range found {
			found[i], _, _ = strings.Cut(found[i], " [")
		}
		if !slices.Equal(found, c.want) {
			t.Errorf("%s: %q, want %q", c.name, found, c.want)
		}
	}
}

// Rules that conclude from each other without an end are stopped, which is said once with those that went round.
func TestLoop(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, `
rules:
  - {name: first, each: {a: run}, when: a.x > 1, assert: {step: {n: a.x}}}
  - {name: next, each: {s: step}, when: s.n > 0, assert: {step: {n: s.n + 1}}}
`), rotors)
	x := func(n float64) event.Event {
		return event.Event{Run: "r", Source: event.Plugin, Kind: event.Iteration, Values: map[string]float64{"x": n},
			Time: epoch}
	}
	if found := m.Event(x(1)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	found := m.Event(x(2))
	if len(found) != 1 || found[0].Rule != "next" || !strings.Contains(found[0].Message, "firings without an end") ||
		len(found[0].Evidence) != 1 ||
		!strings.Contains(found[0].Evidence[0], "step(n: ") {
		t.Errorf("%+v", found)
	}
	if found := m.Event(x(3)); len(found) != 0 {
		t.Errorf("said once more: %+v", found)
	}
	for _, e := range m.Explain() {
		if e.State != rule.Failed {
			t.Errorf("%s is %s", e.Rule, e.State)
		}
	}
	if _, judged := m.Standing(); judged {
		t.Error("it is said what stands in the end")
	}
}

// A conclusion goes when what it was concluded from goes, and a rule fires anew only after it has not held.
func TestSupport(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, `
rules:
  - {name: high, each: {a: run}, when: a.x > 1, assert: {warm: {run: a.name}}}
  - {name: two_warm, when: 'count(warms, true) >= 2', message: '{count(warms, true)}'}
`), rotors)
	n := 0
	set := func(name string, x float64) {
		for range 3 { // the same value once more changes nothing
			n += len(m.Event(event.Event{Run: name, Source: event.Plugin, Kind: event.Iteration,
				Values: map[string]float64{"x": x}, Time: epoch}))
		}
	}
	for _, c := range []struct {
		name string
		x    float64
		want int
	}{{"p", 2, 0}, {"q", 2, 1}, {"q", 3, 1}, {"r", 5, 1}, {"p", 0, 1}, {"q", 1, 1}, {"p", 2, 2}} {
		if set(c.name, c.x); n != c.want {
			t.Errorf("%s = %g: fired %d times, want %d", c.name, c.x, n, c.want)
		}
	}
}

// What is wrong with a rule is said with its place and what was meant.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"each: {a: runner}, when: a.x > 1":                                 "unknown kind of facts runner",
		"each: {run: run}, when: run.x > 1":                                "the name run is that of a kind of facts",
		"each: {a: run}, when: b.x > 1":                                    "there is no b; each names a",
		"each: {a: run}, when: a > 1":                                      "a is a fact: name a field",
		"each: {a: run}, when: 'a.class == \"divergd\"'":                   "did you mean diverged?",
		"when: 'count(runs, .state in [\"stale\"]) > 1'":                   "is never \"stale\", did you mean stalled?",
		"each: {a: run}, when: a.stat > 1":                                 "did you mean state?",
		"each: {a: run}, when: a.given > 1":                                "given has parts",
		"each: {a: run}, when: a.ask.N > 1":                                "a run has no ask.N",
		"each: {a: run}, when: a.name > 1":                                 "the sides of > do not match",
		"each: {a: run}, when: 'steady(a.x, 9, 1)'":                        "there is no function steady",
		"each: {a: run}, when: 'drop(a.name) > 1'":                         "a history of the values that",
		"each: {a: run}, when: 'rate(a.answer.x, 9) > 1'":                  "a history of the values that",
		"each: {a: run}, when: 'rate(a.x, 2) > 1'":                         "it takes at least 3",
		"each: {a: run}, when: 'rate(a.x, 5 kg) > 1'":                      "want a time such as 10 s or 5 min",
		"each: {a: run}, when: 'rate(a.x) > 1'":                            "rate has 2 arguments",
		"each: {a: run}, when: 'quantile(a.x, 9, 2) > 1'":                  "is not a constant from 0 to 1",
		"each: {a: run}, when: 'at(a.x) > 1'":                              "at has 2 arguments",
		"each: {a: run}, when: 'at(a.given.x, 9) > 1'":                     "a history of the values that",
		"when: 'count(runs, at(.x, 9) > 1) > 1'":                           "not for the choice of runs",
		"when: 'median(runs, .x) > 1'":                                     "unexpected .",
		"when: 'median(map(runs, .name)) > 1'":                             "want a number of each run",
		"when: 'median(map(runners, .x)) > count(runs, .x > 1)'":           "want a kind of facts, curves, runs",
		"when: 'quantile(map(runs, .x), 3) > 1'":                           "is not a constant from 0 to 1",
		"when: 'quantile(map(runs, .x)) > 1'":                              "not enough arguments",
		"when: 'least(map(runs, .given.Tt)) > 5 kg'":                       "temperature",
		"when: 'count(runs, .given.Tt > 5 kg) > 1'":                        "temperature",
		"each: {a: run}, when: 'at(a.Tt, 9) > 5 kg'":                       "temperature",
		"when: 'median(map(runs, median(map(runs, .x)))) > 1'":             "is inside another count",
		"when: 'max(map(runs, .x)) > 1'":                                   "runs are facts",
		"each: {a: run}, when: a.x > 1, for: 5 s, assert: {odd: {y: a.x}}": "for is for rules with a message",
		"each: {a: run}, when: 'count(runs, count(runs, .x > 1) > 1) > 1'": "is inside another count",
		"when: 'count(runs) > 1'":                                          "the condition is missing",
		"when: 'count(runs, .x) > 1'":                                      "predicate should return boolean",
		"each: {a: run}, when: a.x > 1, hold: 3":                           "hold, repeat and pause are for rules",
		"when: 'count(runs, .x > 1) > 1', where: run":                      "a study, and a run knows only itself",
		"each: {a: run}, when: a.x > 1, message: '{a.y'":                   "a { without }",
		"each: {a: run}, when: a.x > 1, assert: {run: {x: a.x}}":           "runs are no conclusions",
		"each: {a: run, d: odd}, when: a.x > d.z, assert: {odd: {y: a.x}}": "the kind odd has no field z",
		"each: {a: run}, when: a.x > 1, assert: {odd: {y: '[a.x]'}}":       "a number, a text or a bool",
		"each: {a: run}, when: a.given.Tt > 5 kg, message: m":              "temperature",
		"each: {a: run}, when: 'a.x matches \"b\"'":                        "the sides of matches do not match",
		"each: {a: run}, when: 'a.name matches \"b\"'":                     "is not for rules on a study",
	} {
		_, err := parsed("rules:\n  - {name: odd, " + text + "}\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if fault, ok := errors.AsType[*language.Error](err); ok && fault.Pos.Line != 2 {
			t.Errorf("%s: at %v", text, fault.Pos)
		}
	}
}

// A rule that judges a study does not take the place of a built-in one that judges less, for others ask that one by its
// name; nor the reverse.
func TestReplacesItsLike(t *testing.T) {
	for text, want := range map[string]string{
		`{name: hung, when: 'count(runs, .class == "hung") > 2', message: m}`: "3:5: rule hung: \"hung\": it judges",
		`{name: converged, each: {a: run}, when: a.x > 1, message: m}`:        "3:5: rule converged: ",
		`{name: look_closer, when: 'any(runs, .lost)', message: m}`:           "3:5: rule look_closer: ",
		`{name: curve, when: iteration > 5}`:                                  "3:5: rule curve: \"curve\": the built-in",
		`{name: curve_lost_two, when: 'false'}`:                               "",
		`{name: hung, when: 'false'}`:                                         "",
	} {
		file := must.Value(config.ParseRules("rules.yaml", []byte("rules:\n\n  - "+text+"\n")))(t)
		_, single := rule.New(rule.Shape{}, file.Rules)
		_, wide := rule.NewStudy(nil, file.Rules)
		err := errors.Join(single, wide)
		if want == "" {
			must.OK(t, err)
		} else if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one error %s", text, err, want)
		}
	}
}

// A rule of the user's takes the place of a built-in one of its name.
func TestReplace(t *testing.T) {
	for text, want := range map[string]string{
		"rules: [{name: other, when: iteration > 5}]":    "curve curve_lost_two neighbours_disagree",
		"rules: [{name: curve_lost_two, when: 'false'}]": "curve neighbours_disagree",
		"rules: [{name: neighbours_disagree, each: {a: run}, when: a.x > 1, priority: 10}]": "neighbours_disagree " +
			"curve curve_lost_two",
	} {
		if got := strings.Join(compiled(t, text).Names(), " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// An attempt that another one follows is not lost, and the other one is on its speed line, whatever its settings.
func TestRetriedRunIsNotLost(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t,
		"rules: [{name: gap, each: {a: run}, when: a.lost, message: '{a.name} on {a.curve}'}]"), rotors)
	events := startedRun("p", 3400, 0.3)
	failed := event.Event{Run: "p", Source: event.Host, Kind: event.Ended, Class: event.Diverged, Follows: true,
		Time: epoch}
	retried := startedRun("p~2", 3400, 0.3)
	retried[0].Attempt, retried[0].Cause = 2, &event.Ref{Stream: event.Stream{Run: "p", Source: event.Host}, Seq: 9}
	retried[1].Text = "cells 10, cfl 5"
	found := feedStudy(m, slices.Concat(events, []event.Event{failed}, retried, ends("p~2", event.Diverged, nil))...)
	want := "gap: p~2 on fan, N 3400, throughflow 3, cells 10 [p~2]"
	if len(found) != 1 || found[0] != want {
		t.Errorf("%q, want %q alone", found, want)
	}
}

// The new values of an action may be expressions over the facts for which the rule holds; one that comes to nothing
// finite is not done, and the finding says so.
func TestStudySets(t *testing.T) {
	set, err := rule.NewStudy(nil, []config.Rule{
		{Name: "half", Each: []config.Each{{Name: "a", Kind: "run"}}, When: "a.x > 1", Message: "m",
			Severity: rule.Warning, Action: rule.Change, Act: true,
			Set:   map[string]float64{"b": 7},
			SetTo: map[string]string{"cfl": "a.given.cfl / 2", "sensors.history.on": "true"}},
		{Name: "never", Each: []config.Each{{Name: "a", Kind: "run"}}, When: "a.x > 1", Message: "m",
			Severity: rule.Warning, Action: rule.Change, SetTo: map[string]string{"c": "a.x / 0"}},
	})
	must.OK(t, err)
	m := rule.NewStudyMonitor(set, rule.Map{})
	m.Event(event.Event{Run: "r", Source: event.Host, Kind: event.Asked, Values: map[string]float64{"cfl": 8}})
	var got []string
	for _, f := range m.Event(event.Event{Run: "r", Source: event.Plugin, Kind: event.Iteration,
		Values: map[string]float64{"iteration": 1, "x": 3}}) {
		got = append(got, fmt.Sprint(f.Rule, ": ", f.Does, " ", f.Acts, " ", f.Evidence[len(f.Evidence)-1]))
	}
	want := []string{"half: set b = 7, cfl = 4, sensors.history.on = true true a.x = 3",
		"never:  false set is not done: c = a.x / 0 is +Inf, no finite number"}
	must.Equal(t, want, got)
	if _, err := rule.NewStudy(nil,
		[]config.Rule{
			{Name: "bad", Each: []config.Each{{Name: "a", Kind: "run"}}, When: "a.x > 1", Severity: rule.Warning,
				Action: rule.Change,
				SetTo:  map[string]string{"c": "a.nowher +"}}}); err == nil {
		t.Error("no expression")
	}
}
