package study_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/study"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var rotors = study.Map{Speed: "N", Throttle: "throttle"}

// compiled compiles rules as a file has them.
func compiled(t testing.TB, text string) *study.Set {
	t.Helper()
	set, err := parsed(text)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func parsed(text string) (*study.Set, error) {
	if text == "" {
		return study.New(nil, nil)
	}
	file, err := config.ParseRules("rules.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return study.New(file.Functions, file.Rules)
}

// feed judges events and returns the findings as text.
func feed(m *study.Monitor, events ...event.Event) (found []string) {
	for _, e := range events {
		for _, f := range m.Event(e) {
			found = append(found, fmt.Sprintf("%s: %s %v", f.Rule, f.Message, f.Runs))
		}
	}
	return found
}

// asked is a run that starts on the fan's map.
func asked(name string, speed, throttle float64) []event.Event {
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
    message: "{count(doubts, true)} doubts"
  - {name: large, each: {d: doubt}, when: d.by > 0.5 and d.run != "", message: "{d.run}"}
`)
	m := study.NewMonitor(set, rotors)
	pr := func(x float64) map[string]float64 { return map[string]float64{"PR": x} }
	var found []string
	for i, x := range []float64{1.5, 1.501, 1.6, 0.9} {
		name := string(rune('p' + i))
		found = append(found, feed(m, slices.Concat(asked(name, 1000, float64(i)), ends(name, event.Converged, pr(x)))...)...)
		found = append(found, "-")
	}
	want := []string{"-", "-",
		"two_disagree: p has 1.5, r 1.6 [p r]", "two_disagree: q has 1.501, r 1.6 [q r]", "doubted: 4 doubts []", "-",
		"two_disagree: p has 1.5, s 0.9 [p s]", "two_disagree: q has 1.501, s 0.9 [q s]", "two_disagree: r has 1.6, s 0.9 [r s]",
		"large: s []", "-"}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// The built-in rules on good runs find nothing, on bad ones what they are for.
func TestBuiltin(t *testing.T) {
	line := func(classes ...event.Class) (list []event.Event) {
		for i := range classes {
			list = append(list, asked(fmt.Sprint("r", i), 3400, 0.25+0.02*float64(i))...)
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
	rising := slices.Concat(line(ok, ok, ok), asked("odd", 3400, 0.40), ends("odd", ok, flow(585)))
	other := slices.Concat(line(ok, ok, ok), asked("odd", 3500, 0.40), ends("odd", ok, flow(600)))
	for _, c := range []struct {
		name   string
		events []event.Event
		want   []string
	}{
		{"good", line(ok, ok, ok, ok, ok, stalled, stalled), nil},
		{"one lost", line(ok, ok, lost), nil},
		{"two of six", line(ok, lost, ok, ok, lost, ok), nil},
		{"two of five", line(ok, lost, ok, ok, lost), []string{"curve_lost_two: the speed line at 3400 rpm of fan lost 2 of its 5 runs"}},
		{"more flow", rising, []string{"neighbours_disagree: r2 and odd disagree: with the throttle closed from 0.29 to 0.4 the flow rises from 580 to 585 kg/s"}},
		{"of another line", other, nil},
	} {
		m := study.NewMonitor(compiled(t, ""), rotors)
		found := feed(m, c.events...)
		for i := range found {
			found[i], _, _ = strings.Cut(found[i], " [")
		}
		if !slices.Equal(found, c.want) {
			t.Errorf("%s: %q, want %q", c.name, found, c.want)
		}
	}
}

var _ = errors.New
var _ rule.Finding
