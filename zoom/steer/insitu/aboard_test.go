package insitu_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/insitu"
)

// A run does what its rules want, in the order in which they are judged, at the safe point at which they hold; what
// it refuses, and a rule that fails, stops nobody. A safe point that comes again without a new iteration is not
// judged again.
func TestBoard(t *testing.T) {
	const rules = `{"rules": [
  {"name": "both", "when": ["iteration == 2"], "severity": "info", "message": "m", "action": {"set": {"x": "x + 1", "limits.k4": 0.5}}, "act": true, "where": "run"},
  {"name": "save", "when": ["iteration == 3"], "severity": "warning", "message": "x is {x}", "action": "checkpoint", "act": true, "where": "run"},
  {"name": "deep", "when": ["value(\"limits.k4\") < 1 and iteration >= limit"], "severity": "info", "message": "m", "action": {"set": {"x": 99}}, "act": true, "where": "run"},
  {"name": "end", "when": ["iteration == 5"], "severity": "info", "message": "m", "action": "stop", "act": true, "where": "run"}]}`
	r := steer.New(clock.Real)
	var said []string
	emit := func(e event.Event) {
		said = append(said, fmt.Sprintf("%g %s %s %s", e.Values["iteration"], e.Kind, e.Name, e.Text))
	}
	r.Record = func(x event.Receipt) {
		said = append(said, fmt.Sprintf("%d %s %s %s by %s: %s", x.Iteration, x.State, x.Verb, x.Rule, x.By, x.Reason))
	}
	x, least, limits := 1.0, 10.0, steer.Value{
		Type: steer.Struct, Fields: []steer.Field{{Name: "k4", Value: steer.FloatValue(2)}},
	}
	operations := []steer.Operation{steer.Sense, steer.Actuate}
	r.Add(steer.Object{Name: "x", Type: steer.Float, Max: &least, Effect: steer.Numerics, Operations: operations},
		steer.FloatAt(&x))
	r.Add(steer.Object{Name: "limits", Type: steer.Struct, Fields: []steer.Part{{Name: "k4", Type: steer.Float}},
		Effect: steer.Numerics, Operations: operations}, steer.Binding{
		Get: func() steer.Value { return limits }, Set: func(v steer.Value) error { limits = v; return nil },
	})
	four := 4
	r.Add(steer.Object{Name: "max_iterations", Type: steer.Int, Effect: steer.Numerics, Operations: operations},
		steer.IntAt(&four))
	r.Add(steer.Object{Name: steer.CheckpointFunction, Type: steer.Text, Effect: steer.Monitor,
		Operations: []steer.Operation{steer.Call}}, steer.Binding{
		Call: func(context.Context, steer.Value) (steer.Value, error) { return steer.TextValue("state.bin"), nil },
	})
	insitu.Board(rules, "r", r, emit)
	for _, n := range []int64{0, 1, 2, 2, 3, 4} {
		if r.Obey(t.Context(), n) != steer.GoOn {
			t.Fatalf("it ends at %d", n)
		}
	}
	if r.Obey(t.Context(), 5) != steer.End || x != 2 || limits.Fields[0].Value.Number != 0.5 {
		t.Errorf("x is %g, limits are %v", x, limits)
	}
	want := []string{
		"0 message rules_aboard judges at each iteration the rules both, save, deep, end",
		"2 applied set both by rule both: ", "3 finding save x is 2",
		"3 applied call save by rule save: ", "0 refused set deep by rule deep: x: x is 99; want at most 10",
		"5 applied stop end by rule end: ",
	}
	must.Equal(t, want, said)
}

// An object that panics has no number, which silences the rules that name it; what panics in the judging itself ends
// the rules. Neither ends the run.
func TestBrokenRules(t *testing.T) {
	r := steer.New(clock.Real)
	var said []string
	insitu.Board(`{"rules": [{"name": "a", "when": ["x > -1"], "severity": "warning", "message": "m", "where": "run"},
  {"name": "b", "when": ["iteration >= 2"], "repeat": 1, "severity": "warning", "message": "m", "where": "run"}]}`,
		"r", r, func(e event.Event) {
			if said = append(said, strings.TrimSpace(e.Name+" "+e.Text)); e.Kind == event.Finding &&
				e.Values["iteration"] == 3 {
				panic("no room")
			}
		})
	bad := false
	r.Add(steer.Object{
		Name: "x", Type: steer.Float, Effect: steer.Monitor, Operations: []steer.Operation{steer.Sense},
	}, steer.Binding{Get: func() steer.Value {
		if bad {
			panic("no x")
		}
		return steer.FloatValue(0)
	}})
	r.Obey(t.Context(), 0)
	bad = true
	for n := int64(1); n <= 5; n++ {
		if r.Obey(t.Context(), n) != steer.GoOn {
			t.Errorf("it ends at %d", n)
		}
	}
	want := []string{"rules_aboard judges at each iteration the rules a, b", "b m", "b m",
		"the run judges its rules no more: they failed at iteration 3: no room"}
	must.Equal(t, want, said)
}

// A rule acts as often as it says (most); one that acts at each iteration without end leaves room for the commands of
// others.
func TestRuleActsOnlySoOften(t *testing.T) {
	for most, c := range map[string]struct {
		iterations int64
		acts       int
	}{`"most": 3, `: {20, 3}, "": {12_000, 10_000}} {
		r := steer.New(clock.Real)
		applied, warned := 0, 0
		r.Record = func(event.Receipt) { applied++ }
		text := `{"rules": [{"name": "a", "when": ["iteration >= 1"], "repeat": 1, ` + most +
			`"severity": "info", "message": "m", "action": {"set": {"x": "x + 1"}}, "act": true, "where": "run"}]}`
		insitu.Board(text, "r", r, func(e event.Event) {
			if e.Kind == event.Warning {
				warned++
			}
		})
		x := 0.0
		r.Add(steer.Object{
			Name: "x", Type: steer.Float, Effect: steer.Numerics, Operations: []steer.Operation{steer.Actuate},
		}, steer.FloatAt(&x))
		for n := range c.iterations {
			r.Obey(t.Context(), n)
		}
		if x != float64(c.acts) || applied != c.acts || warned != 1 {
			t.Errorf("%s: x is %g, %d commands, %d warnings; want %d", most, x, applied, warned, c.acts)
		}
	}
}
