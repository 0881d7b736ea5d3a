package rule_test

// The same conditions judged pair by pair by expr's machine: what the memory looks up, joins and counts is to be no
// other.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// pool are conditions on two runs a and b, which draw puts together. Runs may lack y.
var pool = []string{
	"a.x > 1", "b.x <= 2", "a.x in [0, 2]", `a.class == "converged"`, `b.class in ["crashed", "stalled"]`, "a.lost",
	"not b.lost", "a.ended == b.ended",
	"a.component == b.component", "a.x < b.x", "b.x > a.x + 1", "a.x - 1 < b.x", "a.x * b.x > 2",
	"abs(a.x - b.x) >= 2", "a.y > b.x", "b.y != 1",
	"(a.x > 2 or b.x > 2)", "a.x > b.x ? a.lost : b.lost", "2 > a.x", "a.answer.z == b.answer.z",
	"count(runs, .x > 1) > 2", "count(runs, .x > a.x) >= 2",
	"count(runs, .component == a.component and .x >= b.x) == 1", "any(runs, .lost)",
	"none(runs, .x > 3)", "all(runs, .x >= 1)", "all(runs, .x > a.x or .x <= b.x)",
	"count(runs, .y > 0) > count(runs, .lost)",
	"count(runs, .lost) * 2 >= count(runs, .ended)", "not any(runs, .component == b.component and .x == a.x + 1)",
	"count(runs, true) > 3", "count(runs, a.lost) == 0",
}

func TestConditionsAreThoseOfExpr(t *testing.T) {
	held, drawn := 0, 0
	testenv.Check(t, func(t *rapid.T) {
		var parts []string
		for range rapid.IntRange(1, 4).Draw(t, "conditions") {
			parts = append(parts, rapid.SampledFrom(pool).Draw(t, "condition"))
		}
		when := strings.Join(parts, " and ")
		set, err := parsed(
			fmt.Sprintf(
				"rules:\n  - name: pair\n    each: {a: run, b: run}\n    when: '%s'\n"+
					"    message: '{a.name} {b.name}'\n", when))
		must.OK(t, err)
		m := rule.NewStudyMonitor(set, rule.Map{})
		runs := map[string]map[string]any{}
		var names []string
		var found []string
		for step := range rapid.IntRange(2, 12).Draw(t, "steps") {
			name := fmt.Sprint("r", rapid.IntRange(0, 4).Draw(t, "run"))
			e := event.Event{Run: name, Component: []string{"fan", "hpc"}[len(name+name[1:])%2*int(name[1]-'0')%2],
				Source: event.Host, Time: epoch}
			if runs[name] == nil {
				names = append(names, name)
				runs[name] = map[string]any{"name": name, "component": e.Component, "class": "", "lost": false,
					"ended": false, "answer": map[string]any{}}
				e.Kind = event.Started
			} else if runs[name]["ended"] == true {
				continue
			} else {
				x := float64(rapid.IntRange(0, 4).Draw(t, "x"))
				switch rapid.IntRange(0, 3).Draw(t, "kind") {
				case 0:
					e.Kind, e.Values = event.Iteration, map[string]float64{"x": x, "iteration": float64(step)}
					runs[name]["x"] = x
				case 1:
					e.Kind, e.Values = event.Iteration, map[string]float64{"y": x}
					runs[name]["y"] = x
				case 2:
					e.Kind, e.Values = event.Result, map[string]float64{"z": x}
					runs[name]["answer"] = map[string]any{"z": x}
				case 3:
					e.Kind, e.Class = event.Ended, []event.Class{event.Converged, event.Crashed,
						event.Stalled}[int(x)%3]
					runs[name]["ended"], runs[name]["class"], runs[name]["lost"] = true, string(e.Class), e.Class !=
						event.Converged
				}
			}
			for _, f := range m.Event(e) {
				if f.Rule == "pair" {
					found = append(found, f.Message)
				}
			}
			holds := pairs(t, when, names, runs)
			drawn++
			if len(holds) > 0 {
				held++
			}
			state, missing := "", false
			for _, x := range m.Explain() {
				if x.Rule == "pair" {
					state, missing = x.State, x.State == "missing"
				}
			}
			if (state == "true") != (len(holds) > 0) && !(missing && len(holds) == 0) {
				t.Fatalf("%s: it is %s, of expr's machine it holds for %q\n%v", when, state, holds, runs)
			}
			for _, pair := range holds {
				a, b, _ := strings.Cut(pair, " ")
				if !slices.Contains(found, pair) && !slices.Contains(found, b+" "+a) {
					t.Fatalf("%s: holds for %s, which was not found: %q\n%v", when, pair, found, runs)
				}
			}
		}
	})
	if held < drawn/50 {
		t.Errorf("the conditions hold in %d of %d steps: nothing is tested", held, drawn)
	}
}

// pairs lists the pairs of different runs for which a condition holds, where both have the numbers that it names.
func pairs(t *rapid.T, when string, names []string, runs map[string]map[string]any) (list []string) {
	for _, a := range names {
		for _, b := range names {
			if a == b || lacks(runs[a], when, "a.") || lacks(runs[b], when, "b.") {
				continue
			}
			// what lacks a number that a count names is not counted
			text := when
			env := map[string]any{"a": runs[a], "b": runs[b]}
			for field, all := range map[string]string{" .x": "xs", " .y": "ys"} {
				var having []map[string]any
				for _, name := range names {
					if _, ok := runs[name][strings.TrimPrefix(field, " .")]; ok {
						having = append(having, runs[name])
					}
				}
				env[all] = having
			}
			var every []map[string]any
			for _, name := range names {
				every = append(every, runs[name])
			}
			env["runs"] = every
			text = overThose(text)
			out, err := expr.Eval(text, env)
			if err != nil {
				t.Fatal(text, err)
			}
			if out == true {
				list = append(list, a+" "+b)
			}
		}
	}
	return list
}

// overThose lets counts that name x or y go over the runs that have it.
func overThose(text string) string {
	parts := strings.Split(text, "(runs, ")
	for i := 1; i < len(parts); i++ {
		inner, _, _ := strings.Cut(parts[i], ")")
		switch {
		case strings.Contains(" "+inner, " .x"):
			parts[i] = "(xs, " + parts[i]
		case strings.Contains(" "+inner, " .y"):
			parts[i] = "(ys, " + parts[i]
		default:
			parts[i] = "(runs, " + parts[i]
		}
	}
	return strings.Join(parts, "")
}

// lacks reports whether a run lacks a number that a condition names of it.
func lacks(run map[string]any, when, of string) bool {
	for _, field := range []string{"x", "y"} {
		if _, ok := run[field]; !ok && strings.Contains(when, of+field) {
			return true
		}
	}
	_, ok := run["answer"].(map[string]any)["z"]
	return !ok && strings.Contains(when, of+"answer.z")
}
