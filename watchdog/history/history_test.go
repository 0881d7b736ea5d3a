package history_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func stamp() time.Time { return epoch }

// openFOAM reads a log that was written for people.
var openFOAM = history.FileSpec{File: history.File{Pattern: "log.rhoSimpleFoam", Format: history.Regexp, Patterns: []history.Pattern{
	{Regexp: `^Time = (?P<iteration>\d+)`, Begins: true},
	{Regexp: `Solving for (?P<key>\w+), Initial residual = (?P<residual>[^,]+),`},
	{Regexp: `continuity errors : sum local = (?P<continuity>[^,]+),`},
	{Regexp: `--> FOAM Warning : (?P<text>.*)`, Kind: event.Warning},
}}}

var su2 = history.FileSpec{File: history.File{
	Pattern: "history.csv", Format: history.Columns, Key: "Inner_Iter",
	Rename: map[string]string{"Inner_Iter": "iteration", "MFR_in": "W_in"},
	Scale:  map[string]float64{"W_in": 0.5},
}}

var columns = history.FileSpec{File: history.File{Pattern: "history.dat", Format: history.Columns}}

func parse(t testing.TB, spec history.FileSpec, text string) []event.Event {
	t.Helper()
	must.OK(t, spec.Check())
	p := history.NewParser(&spec, spec.Pattern, history.State{}, stamp)
	var events []event.Event
	s := bufio.NewScanner(strings.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		events = append(events, p.Parse(tail.Line{Text: s.Bytes()})...)
	}
	return append(events, p.Flush()...)
}

func file(t testing.TB, name string) string {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join("testdata", name)))(t)
	return string(b)
}

// content drops what is the same in all events of these tests.
func content(events []event.Event) []event.Event {
	out := []event.Event{}
	for _, e := range events {
		out = append(out, event.Event{Kind: e.Kind, Values: e.Values, Arrays: e.Arrays, NonFinite: e.NonFinite, Text: e.Text})
	}
	return out
}

func TestColumns(t *testing.T) {
	got := parse(t, columns, file(t, "throughflow.dat"))
	want := []event.Event{
		{Kind: event.Iteration,
			Values: map[string]float64{"iteration": 10, "residual": 1, "W_in": 67.1, "W_out": 66, "PR": 1.21, "eff": 0.55},
			Arrays: map[string][]float64{"Pt": {101325, 101400}}},
		{Kind: event.Iteration,
			Values: map[string]float64{"iteration": 20, "residual": 0.1, "W_in": 67.2, "W_out": 66.9, "PR": 1.4, "eff": 0.8},
			Arrays: map[string][]float64{"Pt": {150000, 151000}}},
		{Kind: event.Message, Text: "history.dat: line not understood: 5 fields where 8 columns are named (1 so far)"},
		{Kind: event.Iteration,
			Values:    map[string]float64{"iteration": 30, "residual": 1e-101, "W_in": 67.2, "eff": 0.8},
			Arrays:    map[string][]float64{"Pt": {150000, 151000}},
			NonFinite: []string{"W_out", "PR"}},
	}
	must.Equal(t, want, content(got))
	for i, e := range got {
		if e.Seq != int64(i+1) || e.Source != event.File || e.File != "history.dat" || e.Line == "" || !e.Time.Equal(epoch) {
			t.Errorf("event %d: %+v", i, e)
		}
	}
}

func TestHeaderWithoutComment(t *testing.T) {
	want := []event.Event{
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 0, "rms[Rho]": -2.1045, "W_in": 33.55}},
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 1, "rms[Rho]": -2.3, "W_in": 33.6}},
	}
	must.Equal(t, want, content(parse(t, su2, file(t, "su2.csv"))))
}

// Prose with the key word in it is no header unless it has as many words as
// there are numbers below it, and a header that comes later takes over.
func TestWhichLineIsTheHeader(t *testing.T) {
	got := parse(t, columns, `
# limit of iteration is 300
# iteration residual
# the first iteration
1 0.5
# iteration residual PR
2 0.25 1.5
`)
	want := []event.Event{
		{Kind: event.Message, Text: `history.dat: line not understood: no header with the column "iteration" came before it (1 so far)`},
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 2, "residual": 0.25, "PR": 1.5}},
	}
	must.Equal(t, want, content(got))
}

func TestRegexp(t *testing.T) {
	got := parse(t, openFOAM, file(t, "openfoam.log"))
	want := []event.Event{
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 1, "residual_p": 1, "residual_Ux": 0.987, "continuity": 0.0123}},
		{Kind: event.Warning, Text: "bounding k, min: -0.1"},
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 2, "residual_p": 0.31}, NonFinite: []string{"residual_Ux"}},
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 3, "residual_p": 0.11}},
	}
	must.Equal(t, want, content(got))
	if !strings.HasPrefix(got[0].Line, "Time = 1\nGAMG:  Solving for p") {
		t.Errorf("evidence is %q", got[0].Line)
	}
}

func TestJSON(t *testing.T) {
	got := parse(t, history.FileSpec{File: history.File{Pattern: "h.jsonl", Format: history.JSON}}, `
{"iteration": 1, "residual": 0.5, "flow": {"in": 67, "out": "66.5"}, "Pt": [1, 2, null], "ok": true}
{"iteration": 2, "residual": NaN, "PR": -Infinity, "text": "a NaN \" in text stays", "kind": "iteration"}
{"text": "reading mesh"}
{"kind": "result", "PR": 1.6}
{"iteration": 3, "resid
[1, 2]
`)
	want := []event.Event{
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 1, "residual": 0.5, "flow.in": 67, "flow.out": 66.5, "ok": 1},
			Arrays: map[string][]float64{"Pt": {1, 2, 0}}, NonFinite: []string{"Pt"}},
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 2}, NonFinite: []string{"PR", "residual"}, Text: `a NaN " in text stays`},
		{Kind: event.Message, Text: "reading mesh"},
		{Kind: event.Result, Values: map[string]float64{"PR": 1.6}},
		{Kind: event.Message, Text: "h.jsonl: line not understood: unexpected end of JSON input (1 so far)"},
	}
	must.Equal(t, want, content(got))
}

// Lines that cannot be read are told of ever more rarely.
func TestGarbageIsToldRarely(t *testing.T) {
	got := parse(t, columns, "# iteration residual\n"+strings.Repeat("\x00\xff\x1b[31m garbage\n", 2000))
	if len(got) != 4 { // the 1st, 10th, 100th, 1000th
		t.Fatalf("%d messages", len(got))
	}
	for _, e := range got {
		if s := e.Text + e.Line; !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b") {
			t.Errorf("bytes that are no text reached an event: %q", s)
		}
	}
}

func TestBadDescriptions(t *testing.T) {
	for _, c := range []struct {
		spec history.FileSpec
		want string
	}{
		{history.FileSpec{File: history.File{Format: history.Columns}}, `description of the file "": no path`},
		{history.FileSpec{File: history.File{Pattern: "../x", Format: history.Columns}}, "stay inside the run folder"},
		{history.FileSpec{File: history.File{Pattern: "[", Format: history.Columns}}, "bad pattern"},
		{history.FileSpec{Folder: "runs/1", File: history.File{Pattern: "x", Format: history.Columns}}, `run folder "runs/1" is not absolute`},
		{history.FileSpec{File: history.File{Pattern: "x", Format: "xml"}}, `format "xml" is none of "columns", "json", "regexp"`},
		{history.FileSpec{File: history.File{Pattern: "x", Format: history.Regexp}}, "format regexp needs patterns"},
		{history.FileSpec{File: history.File{Pattern: "x", Format: history.Regexp, Patterns: []history.Pattern{{Regexp: "("}}}}, "missing closing )"},
		{history.FileSpec{File: history.File{Pattern: "x", Format: history.Regexp, Patterns: []history.Pattern{{Regexp: "abc"}}}}, "no named group"},
		{history.FileSpec{File: history.File{Pattern: "x", Format: history.Regexp, Patterns: []history.Pattern{{Regexp: "abc", Kind: "ended"}}}}, `cannot be of kind "ended"`},
		{history.FileSpec{Interval: -1, File: history.File{Pattern: "x", Format: history.JSON}}, "negative"},
	} {
		err := c.spec.Check()
		var fault *history.SpecError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v; want ...%s...", c.spec, err, c.want)
		}
	}
}

// A description is data: it survives JSON.
func TestSpecRoundTrip(t *testing.T) {
	b := must.Value(json.Marshal(openFOAM))(t)
	var got history.FileSpec
	must.OK(t, json.Unmarshal(b, &got))
	must.Equal(t, openFOAM, got)
}

// Finite numbers survive being printed and read, in Go's form and in Fortran's.
func TestNumbers(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if math.IsInf(x, 0) || math.IsNaN(x) {
			t.Skip()
		}
		format := rapid.SampledFrom([]string{"%g", "%.17e", "%.17D"}).Draw(t, "format")
		text := fmt.Sprintf(strings.Replace(format, "D", "e", 1), x)
		if strings.HasSuffix(format, "D") {
			text = strings.Replace(text, "e", "D", 1)
		}
		got := parse2(t, "# iteration x\n1 "+text)
		if len(got) != 1 || got[0].Values["x"] != x {
			t.Fatalf("%s read as %+v", text, got)
		}
	})
}

func parse2(t *rapid.T, text string) []event.Event {
	spec := columns
	p := history.NewParser(&spec, "h", history.State{}, stamp)
	var events []event.Event
	for line := range strings.SplitSeq(text, "\n") {
		events = append(events, p.Parse(tail.Line{Text: []byte(line)})...)
	}
	return events
}

// No line whatever makes the parser fail, and its events are always valid JSON.
func TestAnyLine(t *testing.T) {
	specs := []history.FileSpec{columns, openFOAM, {File: history.File{Pattern: "h", Format: history.JSON}}}
	testenv.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom(specs).Draw(t, "spec")
		p := history.NewParser(&spec, "h", history.State{}, stamp)
		for _, line := range rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 10).Draw(t, "lines") {
			for _, e := range p.Parse(tail.Line{Text: line}) {
				must.Value(json.Marshal(e))(t)
			}
		}
	})
}

// Interrupted after any batch and resumed from its position, Follow tells the
// same events as without interruption.
func TestFollowResumed(t *testing.T) {
	for _, c := range []struct {
		spec history.FileSpec
		file string
	}{{columns, "throughflow.dat"}, {su2, "su2.csv"}, {openFOAM, "openfoam.log"}} {
		t.Run(c.file, func(t *testing.T) {
			text := file(t, c.file)
			want := follow(t, c.spec, text, len(text))
			for cut := 1; cut < len(text); cut += 41 {
				if diff := cmp.Diff(want, follow(t, c.spec, text, cut)); diff != "" {
					t.Fatalf("interrupted at byte %d: %s", cut, diff)
				}
			}
		})
	}
}

// follow lets one follower read text up to cut, and another the rest.
func follow(t *testing.T, spec history.FileSpec, text string, cut int) []event.Event {
	t.Helper()
	spec.Folder, spec.Interval = t.TempDir(), time.Millisecond
	path := filepath.Join(spec.Folder, spec.Pattern)
	var got []event.Event
	var at []history.FilePosition
	hand := func(b history.Batch) error {
		got = append(got, b.Events...)
		at = []history.FilePosition{b.FilePosition}
		return nil
	}
	must.OK(t, os.WriteFile(path, []byte(text[:cut]), 0o644))
	// The first follower never finishes: it is interrupted while it waits.
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
	defer cancel()
	if err := history.Follow(ctx, spec, nil, nil, clock.Real, nil, hand); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	done := make(chan struct{})
	close(done)
	must.OK(t, history.Follow(t.Context(), spec, at, done, clock.Real, nil, hand))
	for i := range got {
		got[i].Time = epoch
	}
	return got
}

// A pattern finds files that appear later; a fault of one is told once.
func TestFollowPattern(t *testing.T) {
	dir := t.TempDir()
	must.OK(t, os.Mkdir(filepath.Join(dir, "b.dat"), 0o755))
	for _, name := range []string{"a", "c"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name+".dat"), []byte("# iteration residual\n1 0.5\n"), 0o644))
	}
	var got []string
	finish := make(chan struct{})
	spec := history.FileSpec{Folder: dir, Interval: time.Millisecond, File: history.File{Pattern: "*.dat", Format: history.Columns}}
	err := history.Follow(t.Context(), spec, nil, finish, clock.Real, nil, func(b history.Batch) error {
		for _, e := range b.Events {
			got = append(got, string(e.Kind)+" "+e.File)
		}
		if len(got) == 3 {
			close(finish)
		}
		return nil
	})
	must.OK(t, err)
	must.Equal(t, []string{"iteration a.dat", "message b.dat", "iteration c.dat"}, got)
}

// Lines of a history of eight columns made into events, per second.
func BenchmarkParse(b *testing.B) {
	for _, c := range []struct {
		name string
		spec history.FileSpec
		head string
		line string
	}{
		{"columns", columns, "# iteration residual W_in W_out PR eff", "     120  1.2345e-03  6.7890e+01  6.7885e+01  1.63412  0.91712"},
		{"json", history.FileSpec{File: history.File{Pattern: "h", Format: history.JSON}}, "", `{"iteration": 120, "residual": 1.2345e-03, "W_in": 67.890, "W_out": 67.885, "PR": 1.63412, "eff": 0.91712}`},
		{"regexp", openFOAM, "Time = 1", "GAMG:  Solving for p, Initial residual = 0.31, Final residual = 0.0121, No Iterations 4"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := history.NewParser(&c.spec, "h", history.State{}, stamp)
			p.Parse(tail.Line{Text: []byte(c.head)})
			line := tail.Line{Text: []byte(c.line)}
			b.ReportAllocs()
			for b.Loop() {
				p.Parse(line)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
