package event_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// A log of format 1 says in texts and numbers what has fields of its own now.
func TestReadsFormat1(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	const old = `{"study":"s","run":"a","seq":1,"time":"2026-01-02T03:04:05Z","source":"host","kind":"started"}
{"study":"s","run":"a","seq":2,"time":"2026-01-02T03:04:06Z","source":"host","kind":"ended","values":{"again":1,"attempt":1,"wall":0.5},"text":"crashed"}
`
	must.OK(t, os.WriteFile(path, []byte(old), 0o644))
	write(t, path, event.Event{Study: "s", Run: "a", Seq: 3, Source: event.Plugin, Kind: event.Ended, Class: event.Converged, Text: "by itself"})
	got := must.Value(event.Read(path))(t)
	for i := range got {
		got[i].Time = got[0].Time
	}
	at := got[0].Time
	want := []event.Event{
		{Study: "s", Run: "a", Seq: 1, Time: at, Source: event.Host, Kind: event.Started},
		{Study: "s", Run: "a", Seq: 2, Time: at, Source: event.Host, Kind: event.Ended, Class: event.Crashed, Attempt: 1, Wall: 0.5, Follows: true},
		{Study: "s", Run: "a", Seq: 3, Time: at, Source: event.Plugin, Kind: event.Ended, Class: event.Converged, Text: "by itself"},
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
