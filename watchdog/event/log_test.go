package event_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

func some(n int64) event.Event {
	return event.Event{
		Study: "e3", Run: "r1", Seq: n, Time: time.Date(2026, 1, 2, 3, 4, 5, int(n), time.UTC),
		Source: event.Plugin, Kind: event.Iteration,
		Values:    map[string]float64{"iteration": float64(n), "residual": 1.5e-3},
		Arrays:    map[string][]float64{"Pt": {1, 2, 3}},
		NonFinite: []string{"eff"}, Text: "a <b> & c", File: "history.dat", Line: "1 1.5e-3 NaN",
	}
}

func write(t *testing.T, path string, events ...event.Event) {
	t.Helper()
	l := must.Value(event.Append(path))(t)
	for _, e := range events {
		must.OK(t, l.Write(e))
	}
	must.OK(t, l.Close())
}

// Wherever a crash cuts the file, the whole events before the cut are read, and
// an event that is appended later does not suffer.
func TestCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	write(t, path, some(1))
	one := must.Value(os.ReadFile(path))(t)
	write(t, path, some(2))
	both := must.Value(os.ReadFile(path))(t)
	for cut := len(both); cut >= 0; cut -= 7 {
		must.OK(t, os.WriteFile(path, both[:cut], 0o644))
		var want []event.Event
		if cut >= len(one) {
			want = append(want, some(1))
		}
		if cut >= len(both) {
			want = append(want, some(2))
		}
		got, err := event.Read(path)
		must.OK(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
		write(t, path, some(3))
		got = must.Value(event.Read(path))(t)
		if diff := cmp.Diff(append(want, some(3)), got); diff != "" {
			t.Fatalf("appended after a cut at %d: %s", cut, diff)
		}
	}
}

// A log whose cut last line is longer than the block that looks for its start.
func TestCutLongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	long := some(2)
	long.Arrays["Pt"] = make([]float64, 20000)
	write(t, path, some(1), long)
	info := must.Value(os.Stat(path))(t)
	must.OK(t, os.Truncate(path, info.Size()-1))
	write(t, path, some(3))
	got := must.Value(event.Read(path))(t)
	must.Equal(t, []event.Event{some(1), some(3)}, got)
}

func TestDamagedLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	write(t, path, some(1))
	f := must.Value(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	must.Value(f.WriteString("\x00\x00 no event\n"))(t)
	must.OK(t, f.Close())
	write(t, path, some(2))
	got, err := event.Read(path)
	var damaged *event.DamagedError
	if !errors.As(err, &damaged) || !cmp.Equal(damaged.Lines, []int{3}) {
		t.Errorf("error %v; want line 3 damaged", err)
	}
	must.Equal(t, []event.Event{some(1), some(2)}, got)
}

// A log of format 1 says in texts and numbers what has fields of its own now.
func TestReadsFormat1(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	const old = `{"study":"s","run":"a","seq":1,"time":"2026-01-02T03:04:05Z","source":"host","kind":"started"}
{"study":"s","run":"a","seq":2,"time":"2026-01-02T03:04:06Z","source":"host","kind":"ended","values":{"again":1,"attempt":1,"wall":0.5},"text":"crashed"}
`
	must.OK(t, os.WriteFile(path, []byte(old), 0o644))
	write(t, path, event.Event{Study: "s", Run: "a", Seq: 3, Source: event.Plugin, Kind: event.Ended,
		Class: event.Converged, Text: "by itself"})
	got := must.Value(event.Read(path))(t)
	for i := range got {
		got[i].Time = got[0].Time
	}
	at := got[0].Time
	want := []event.Event{
		{Study: "s", Run: "a", Seq: 1, Time: at, Source: event.Host, Kind: event.Started},
		{Study: "s", Run: "a", Seq: 2, Time: at, Source: event.Host, Kind: event.Ended, Class: event.Crashed,
			Attempt: 1, Wall: 0.5, Follows: true},
		{Study: "s", Run: "a", Seq: 3, Time: at, Source: event.Plugin, Kind: event.Ended, Class: event.Converged,
			Text: "by itself"},
	}
	must.Equal(t, want, got)
}

func TestRefusesNewerFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	must.OK(t, os.WriteFile(path, []byte("{\"format\":99}\n"), 0o644))
	_, errRead := event.Read(path)
	_, errAppend := event.Append(path)
	for _, err := range []error{errRead, errAppend} {
		var format *event.FormatError
		if !errors.As(err, &format) || format.Format != 99 || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v; want a FormatError that names %s and 99", err, path)
		}
	}
}

func TestNamesItsFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	write(t, path, some(1))
	data := must.Value(os.ReadFile(path))(t)
	if first, _, _ := strings.Cut(string(data), "\n"); first != `{"format":2}` {
		t.Errorf("the first line is %q", first)
	}
}

// What the events of a run have in common is in the first line alone, also for a later writer that does not know
// it. An event that differs has its own.
func TestCommonFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	one, two, other := some(1), some(2), some(3)
	for _, e := range []*event.Event{&one, &two, &other} {
		e.Component, e.Host, e.Attempt = "fan", "local", 2
	}
	other.Run, other.Host, other.Attempt = "r2", "n7", 1
	l := must.Value(event.AppendRun(path, event.Common{Study: "e3", Run: "r1", Attempt: 2, Component: "fan",
		Host: "local"}))(t)
	must.OK(t, errors.Join(l.Write(one), l.Close()))
	lacking := two
	lacking.Component, lacking.Host = "", "" // as a solver without its host writes it
	write(t, path, lacking, other)
	got := must.Value(event.Read(path))(t)
	if diff := cmp.Diff([]event.Event{one, two, other}, got); diff != "" {
		t.Error(diff)
	}
	text := string(must.Value(os.ReadFile(path))(t))
	if n := strings.Count(text, `"r1"`); n != 1 {
		t.Errorf("the run is named %d times", n)
	}
	if first, _, _ := strings.Cut(text, "\n"); first !=
		`{"format":5,"study":"e3","run":"r1","attempt":2,"component":"fan","host":"local"}` {
		t.Errorf("the first line is %q", first)
	}
}

// The events of a run have short lines. Each is read alone: a lost line, the first line also, loses no other, and the
// times of the others move by less than the first event came after it.
func TestShortLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	begun := time.Date(2026, 1, 2, 3, 4, 4, 999_000_000, time.UTC)
	at := func(n int64, of event.Source, kind event.Kind) event.Event {
		e := some(n)
		e.Source, e.Kind, e.File, e.Time = of, kind, "", begun.Add(time.Duration(n)*100*time.Millisecond+1)
		return e
	}
	events := []event.Event{at(0, event.Host, event.Started), at(1, event.Plugin, event.Iteration), some(2),
		at(3, event.Plugin, event.Message), at(4, event.File, event.Iteration), at(5, event.Host, event.Iteration),
		at(6, event.Plugin, event.Iteration), at(7, event.Plugin, event.Iteration)}
	events[6].Time = begun.Add(-time.Nanosecond)           // the clock was set back
	events[7].Time = begun.Add(2000 * time.Hour)           // too long for seconds
	events[4].File, events[2].Source = "f.log", event.File // as a watched file's
	l := must.Value(event.AppendRun(path, event.Common{Study: "e3", Run: "r1", Time: begun}))(t)
	for _, e := range events[:4] {
		must.OK(t, l.Write(e))
	}
	must.OK(t, l.Close())
	write(t, path, events[4:]...) // by another process
	must.Equal(t, events, must.Value(event.Read(path))(t))
	text := string(must.Value(os.ReadFile(path))(t))
	lines := strings.SplitAfter(text, "\n")
	if want := `{"seq":1,"time":0.100000001,"kind":"iteration","values":{"iteration":1,`; !strings.HasPrefix(lines[2], want) {
		t.Errorf("%s\nwant %s...", lines[2], want)
	}
	for lost := range events {
		rest := slices.Concat(lines[:lost+1], []string{"\x00\n"}, lines[lost+2:])
		must.OK(t, os.WriteFile(path, []byte(strings.Join(rest, "")), 0o600))
		got, err := event.Read(path)
		if damaged := new(event.DamagedError); !errors.As(err, &damaged) {
			t.Errorf("without line %d: %v", lost+2, err)
		}
		must.Equal(t, slices.Delete(slices.Clone(events), lost, lost+1), got)
	}
	must.OK(t, os.WriteFile(path, []byte("\x00\n"+strings.Join(lines[1:], "")), 0o600))
	got, _ := event.Read(path)
	for i := range got {
		if d := got[i].Time.Sub(events[i].Time).Abs(); d > time.Millisecond {
			t.Errorf("without the first line, event %d is %v off", i, d)
		}
		events[i].Study, events[i].Run, got[i].Time = "", "", events[i].Time
	}
	must.Equal(t, events, got)
}

// A file that an earlier version began is continued in its form, which that version reads.
func TestContinuesFormat4(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	const old = `{"format":4,"study":"e3","run":"r1"}` + "\n"
	must.OK(t, os.WriteFile(path, []byte(old), 0o600))
	write(t, path, some(1))
	must.Equal(t, []event.Event{some(1)}, must.Value(event.Read(path))(t))
	text := string(must.Value(os.ReadFile(path))(t))
	if !strings.HasPrefix(text, old+`{"source":"plugin","seq":1,"time":"2026-01-02T03:04:05.000000001Z",`) {
		t.Error(text)
	}
}
