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
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func stamp() time.Time { return epoch }

// openFOAM reads a log that was written for people.
var openFOAM = history.FileSpec{
	File: history.File{Pattern: "log.rhoSimpleFoam", Format: history.Regexp, Patterns: []history.Pattern{
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

func parse(t must.T, spec history.FileSpec, text string) []event.Event {
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

// Files of every format say what is kept beside them: one event in a line, with the evidence it was read from.
// In header.dat, prose with the key word in it is no header unless it has as many words as there are numbers
// below it, and a header that comes later takes over; su2.csv has a header that is no comment.
func TestFormats(t *testing.T) {
	for name, spec := range map[string]history.FileSpec{"throughflow.dat": columns, "header.dat": columns,
		"su2.csv":      su2,
		"openfoam.log": openFOAM, "lines.jsonl": {File: history.File{Pattern: "h.jsonl", Format: history.JSON}}} {
		var b strings.Builder
		for i, e := range parse(t, spec, file(t, name)) {
			fmt.Fprintf(&b, "%s %v %v not finite %q, %q of %q\n", e.Kind, e.Values, e.Arrays, e.NonFinite, e.Text,
				e.Line)
			if e.Seq != int64(i+1) || e.Source != event.File || e.File != spec.Pattern || e.Line == "" ||
				!e.Time.Equal(epoch) {
				t.Errorf("%s, event %d: %+v", name, i, e)
			}
		}
		golden.Text(t, "testdata/"+name+".want", b.String())
	}
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
		{history.FileSpec{Folder: "runs/1", File: history.File{Pattern: "x", Format: history.Columns}},
			`run folder "runs/1" is not absolute`},
		{
			history.FileSpec{File: history.File{Pattern: "x", Format: "xml"}},
			`format "xml" is none of "columns", "json", "regexp"`,
		},
		{history.FileSpec{File: history.File{Pattern: "x", Format: history.Regexp}}, "format regexp needs patterns"},
		{
			history.FileSpec{
				File: history.File{Pattern: "x", Format: history.Regexp, Patterns: []history.Pattern{{Regexp: "("}}},
			}, "missing closing )",
		},
		{
			history.FileSpec{
				File: history.File{Pattern: "x", Format: history.Regexp, Patterns: []history.Pattern{{Regexp: "abc"}}},
			}, "no named group",
		},
		{
			history.FileSpec{
				File: history.File{
					Pattern: "x", Format: history.Regexp, Patterns: []history.Pattern{{Regexp: "abc", Kind: "ended"}},
				},
			}, `cannot be of kind "ended"`,
		},
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
		got := parse(t, columns, "# iteration x\n1 "+text)
		if len(got) != 1 || got[0].Values["x"] != x {
			t.Fatalf("%s read as %+v", text, got)
		}
	})
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
	spec := history.FileSpec{
		Folder: dir, Interval: time.Millisecond, File: history.File{Pattern: "*.dat", Format: history.Columns},
	}
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
