package plugin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// A result of which a loss of power left a beginning, zeros, or a beginning with zeros behind it, is found to be
// damaged; the whole one is read as it was written.
func TestTornResult(t *testing.T) {
	folder := t.TempDir()
	want := Ending{
		Result: Result{Class: event.Converged, Numbers: map[string]float64{"PR": 1.65},
			Arrays: map[string][]float64{"r": {0.1, 0.2}}},
		Ended: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Wall: time.Millisecond, WrittenBy: event.Host,
	}
	for _, wall := range []time.Duration{time.Millisecond, time.Hour} { // not synced, and synced
		want.Wall = wall
		must.OK(t, WriteResult(folder, want))
		var got Ending
		if err := ReadFile(folder, ResultFile, &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v: %s", err, cmp.Diff(got, want))
		}
	}
	path := filepath.Join(folder, ResultFile)
	text := must.Value(os.ReadFile(path))(t)
	for n := range len(text) - 1 { // the last byte ends the line
		for _, torn := range [][]byte{text[:n], append(append([]byte{}, text[:n]...), make([]byte, len(text)-n)...)} {
			must.OK(t, os.WriteFile(path, torn, 0o644))
			var got Ending
			if err := ReadFile(folder, ResultFile, &got); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%q is read as a result (%v)", torn, err)
			}
		}
	}
}

// A line that is appended behind one that was cut off, as its writer was killed, is a line of its own.
func TestAppendBehindCutOffLine(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "lines.jsonl")
	for _, before := range []string{"", "{\"a\":1}\n", "{\"a\":1}\n{\"a\":"} {
		must.OK(t, os.WriteFile(path, []byte(before), 0o644))
		must.OK(t, AppendLine(folder, "lines.jsonl", map[string]int{"a": 2}))
		want := before + "{\"a\":2}\n"
		if before != "" && before[len(before)-1] != '\n' {
			want = before + "\n{\"a\":2}\n"
		}
		if got, err := os.ReadFile(path); string(got) != want || err != nil {
			t.Errorf("behind %q: %q (%v)", before, got, err)
		}
	}
}
