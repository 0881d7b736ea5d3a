package fileformat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// read recognizes a file and returns what its events say.
func read(t *testing.T, text string, anew bool) (name string, events []event.Event) {
	t.Helper()
	p := fileformat.Find([]byte(text))
	if p == nil {
		t.Fatalf("not recognized: %.60q", text)
	}
	spec := history.FileSpec{File: p.File}
	must.OK(t, spec.Check())
	return p.Name, parse(&spec, text, anew)
}

// parse returns what the events of a text say, read by one parser or by a new one for each line, which goes on.
func parse(spec *history.FileSpec, text string, anew bool) (events []event.Event) {
	parser := history.NewParser(spec, "f", history.State{}, time.Now)
	take := func(list []event.Event) {
		for _, e := range list {
			events = append(events, event.Event{Kind: e.Kind, Name: e.Name, Values: e.Values, Arrays: e.Arrays,
				NonFinite: e.NonFinite, Text: e.Text})
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if anew {
			parser = history.NewParser(spec, "f", parser.State(), time.Now)
		}
		take(parser.Parse(tail.Line{Text: []byte(line)}))
	}
	take(parser.Flush())
	return events
}

// show writes events, one in a line.
func show(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s %q %v %v not finite %q, %q\n", e.Kind, e.Name, e.Values, e.Arrays, e.NonFinite, e.Text)
	}
	return b.String()
}

// Lines of solvers are recognized as the format that their file is named after, and say what lies beside them, also
// to a parser that goes on within an iteration.
// SU2's history is the one of its documentation; its iterations are the inner ones. Of OpenFOAM's solvers,
// shallowWaterFoam begins the line of the time with a blank and solidDisplacementFoam counts iterations, not
// times, and electrostaticFoam calls times iterations; the Foundation's OpenFOAM prints its targets and times in
// another form; the equations of several regions keep apart.
func TestSamples(t *testing.T) {
	samples := must.Value(filepath.Glob("testdata/sample/*.log"))(t)
	must.Equal(t, 18, len(samples))
	for _, file := range samples {
		text := string(must.Value(os.ReadFile(file))(t))
		name, got := read(t, text, false)
		kind := strings.TrimSuffix(file, ".log")
		if format, _, _ := strings.Cut(filepath.Base(kind), "."); name != format {
			t.Errorf("%s is recognized as %s", file, name)
		}
		golden.Text(t, kind+".want", show(got))
		if _, again := read(t, text, true); !cmp.Equal(got, again) {
			t.Errorf("%s by parsers that go on: %s", file, cmp.Diff(got, again))
		}
	}
}

// Columns of foreign tables that are residuals by their names; all else is monitored.
func TestGuess(t *testing.T) {
	for header, want := range map[string]string{
		"iter,continuity,W_in": "iteration residual_continuity W_in",
		"iter,continuity,x-velocity,energy,k,PR": "iteration residual_continuity residual_x-velocity " +
			"residual_energy residual_k PR",
		"# iteration residual res_u res_k PR":      "iteration residual residual_u residual_k PR",
		"iter resU RESULT rest rmsd resistance Cd": "iteration residual_U RESULT rest rmsd resistance Cd",
		`"Iter","rms[Rho]","CD"`:                   "iteration residual_Rho CD",
		"Iter rms_rho res.v res(w) Res_Flow[0] CL": "iteration residual_rho residual_v residual_w " +
			"residual_Flow[0] CL",
		"iter k epsilon":                              "iteration k epsilon",
		"iter k epsilon x-velocity":                   "iteration residual_k residual_epsilon residual_x-velocity",
		"Time U_initial U_final U_iters residual_p Q": "iteration residual_U final_U inner_U residual_p Q",
	} {
		var row strings.Builder
		names := strings.Fields(want)
		for range names {
			row.WriteString(" 1")
		}
		_, got := read(t, header+"\n"+strings.Replace(row.String(), "1", "0", 1)+"\n"+row.String(), false)
		if len(got) != 2 || len(got[1].Values) != len(names) {
			t.Errorf("%s: %+v", header, got)
			continue
		}
		got = got[1:]
		for _, n := range names {
			if x, ok := got[0].Values[n]; !ok || x != 1 && (n != "residual_Rho" && n != "residual_Flow[0]" || x != 10) {
				t.Errorf("%s: %s is %g: %v", header, n, x, got[0].Values)
			}
		}
	}
}

// Every built-in format says what it is, and what it was checked with.
func TestFormats(t *testing.T) {
	for _, p := range fileformat.List() {
		if p.Doc == "" || p.Sample == "" || fileformat.Text(p.Name) == nil || len(p.Detect)+len(p.Header) == 0 {
			t.Errorf("%+v", p)
		}
	}
}
