package attempt

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
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

// An iteration that a file has sooner than the plugin reports it is recorded once. One that the plugin leaves out is
// recorded, in its place, and none waits for a plugin that lags behind or has fallen silent. The monitor learns how far
// the file was read (r).
func TestFilesAreReadBeforeThePluginReports(t *testing.T) {
	iteration := func(source event.Source, n float64) event.Event {
		return event.Event{Source: source, Kind: event.Iteration, Values: map[string]float64{"iteration": n, "PR": 1}}
	}
	for _, c := range []struct{ what, order, want string }{
		{"the plugin first", "p1 f1 p2 f2", "p1 r1 p2 r2"},
		{"the file first", "p1 f1 f2 p2 f3 p3", "p1 r1 r2 p2 r3 p3"},
		{"two of the file first", "p1 f2 f3 p2 p3", "p1 r2 p2 r3 p3"},
		{"a file alone", "f1 f2 f3", "f1 f2 f3"},
		{"the plugin leaves some out", "p1 f1 f2 f3 p4 f4", "p1 r1 f2 f3 p4 r4"},
		{"then the file does not wait", "p1 f2 p3 f4 f5 p6", "p1 f2 p3 f4 f5 p6"},
		{"the plugin falls silent", "p1 f1 f2 f3 -", "p1 r1 f2 f3"},
		{"it lags behind", "p1 f2 f3 f4 f5 f6 f7 f8 f9 f10 p2", "p1 f2 f3 f4 f5 f6 f7 f8 f9 f10 p2"},
	} {
		var got []string
		s := &stream{clock: clock.Real, pulse: pulse{clock: clock.Real}, most: math.MaxInt64,
			deliver: func(e event.Event) (event.Event, *Halt, []Instruction) {
				switch by := e.Source[0]; e.Kind {
				case event.Reached:
					by = 'r'
					fallthrough
				case event.Iteration: // else this process was suspended
					got = append(got, fmt.Sprintf("%c%g", by, e.Values["iteration"]))
				}
				return e, nil, nil
			}}
		folder := t.TempDir()
		must.OK(t, s.open(folder))
		for i, word := range strings.Fields(c.order) {
			n, _ := strconv.ParseFloat(word[1:], 64)
			switch word[0] {
			case 'p':
				s.fromPlugin(iteration(event.Plugin, n))
			case 'f':
				e := iteration(event.File, n)
				e.File, e.Seq = "history.dat", int64(i+1)
				s.fromFile(e)
			default:
				s.beat()
			}
		}
		must.OK(t, s.close(false))
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s is delivered as %s, want %s", c.what, c.order, text, c.want)
		}
		recorded := slices.DeleteFunc(must.Value(event.Read(filepath.Join(folder, plugin.EventsFile)))(t),
			func(e event.Event) bool { return e.Source == event.Host })
		if n := len(got) - strings.Count(c.want, "r"); len(recorded) != n {
			t.Errorf("%s: %d events are recorded, want %d", c.what, len(recorded), n)
		}
	}
}
