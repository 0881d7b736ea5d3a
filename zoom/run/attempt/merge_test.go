package attempt

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

func TestFileAddsWhatThePluginDidNotReport(t *testing.T) {
	var reported pluginValues
	iteration := func(n float64, more ...any) event.Event {
		e := event.Event{Kind: event.Iteration, Values: map[string]float64{"iteration": n}}
		for i := 0; i < len(more); i += 2 {
			e.Values[more[i].(string)] = more[i+1].(float64)
		}
		return e
	}
	bad := iteration(30, "W", 5.0)
	bad.NonFinite = []string{"residual"}
	reported.note(iteration(10, "residual", 0.1))
	reported.note(bad)
	fileBad := iteration(10)
	fileBad.NonFinite = []string{"W", "residual"}
	restBad := iteration(10)
	restBad.NonFinite = []string{"W"}
	array := iteration(10)
	array.Arrays = map[string][]float64{"Pt": {1}}
	for _, c := range []struct {
		what string
		file event.Event
		want event.Event
		more bool
	}{
		{"another iteration", iteration(11, "residual", 0.2), iteration(11, "residual", 0.2), true},
		{"the same", iteration(10, "residual", 0.3), iteration(10), false},
		{"a value that was left out", iteration(10, "residual", 0.3, "W", 7.0), iteration(10, "W", 7.0), true},
		{"a value that the plugin reported as NaN", iteration(30, "residual", 9.0), iteration(30), false},
		{"NaN that was left out", fileBad, restBad, true},
		{"a profile", array, array, true},
		{"no iteration", event.Event{Kind: event.Message, Text: "x"}, event.Event{Kind: event.Message, Text: "x"},
			true},
	} {
		got, more := reported.missing(c.file)
		if diff := cmp.Diff(c.want, got); diff != "" || more != c.more {
			t.Errorf("%s: more %t, %s", c.what, more, diff)
		}
	}
}

func TestMergeForgetsOldIterations(t *testing.T) {
	var reported pluginValues
	for n := range 10 * iterationWindow {
		reported.note(event.Event{Kind: event.Iteration, Values: map[string]float64{"iteration": float64(n)}})
	}
	if len(reported.names) > 2*iterationWindow+1 {
		t.Errorf("%d iterations are kept", len(reported.names))
	}
	reported.note(event.Event{Kind: event.Iteration, Values: map[string]float64{"iteration": math.Inf(1)}})
}
