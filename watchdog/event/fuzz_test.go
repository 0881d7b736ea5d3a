package event

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever an event log holds, its good events are read, and it can be appended to.
func FuzzLog(f *testing.F) {
	for _, s := range []string{"", "{\"format\":2}\n{\"kind\":\"iteration\",\"values\":{\"residual\":1}}\n",
		"{\"format\":1}\nrubbish\n{\"kind\":\"ended\"", "{\"format\":99}\n",
		"{\"format\":5,\"time\":\"2026-01-02T03:04:05Z\"}\n{\"seq\":1,\"time\":0.5}\n"} {
		f.Add([]byte(s))
	}
	for _, line := range lines {
		f.Add([]byte(line))
	}
	path := filepath.Join(f.TempDir(), LogName)
	f.Fuzz(func(t *testing.T, data []byte) {
		readsAsJSON(t, data)
		must.OK(t, os.WriteFile(path, data, 0o600))
		intaketest.Bounded(t, len(data), func() {
			var damaged *DamagedError
			var format *FormatError
			before, err := Read(path)
			if err != nil && !errors.As(err, &damaged) && !errors.As(err, &format) {
				t.Fatal(err)
			}
			l, err := Append(path)
			if errors.As(err, &format) {
				return
			}
			must.OK(t, err)
			must.OK(t, errors.Join(l.Write(Event{Kind: Message}), l.Close()))
			if after, err := Read(path); len(after) != len(before)+1 {
				t.Fatalf("%d events and one more are %d (%v)", len(before), len(after), err)
			}
		})
	})
}

// lines are in the form of an event log, or nearly so.
var lines = []string{
	`{"source":"plugin","seq":1,"time":"2026-01-02T03:04:05.000000001Z","kind":"iteration","values":{"a":-0.5e-7}}` + "\n",
	`{"seq":1,"time":1.000000001,"values":{"a":-0.5e-7}}` + "\n",
	`{"attempt":2,"class":"converged","wall":1.5,"cause":{"run":"r","source":"host","file":"f","seq":3}}`,
	`{"kind":"profile","values":{"iteration":20},"arrays":{"Ps":[76772,-1e-3],"Tt":[288.15]}}`,
	`{"arrays":{"a":[]}}`, `{"arrays":{"a":[1,]}}`, `{"arrays":{"a":[1 2]}}`, `{"arrays":{"a":[1}}`, `{"arrays":{"a":[1`,
	`{"arrays":{"a":[1],"a":[2,3]}}`, `{"arrays":{"a":[1]},"arrays":{"b":[2]}}`, `{"arrays":{"a":null}}`, `{"arrays":{}}`,
	`{"study":"a","study":"b"}`, `{"values":{"a":1},"values":{"b":2}}`, `{"cause":{"seq":1},"cause":{"run":"r"}}`,
	`{"Seq":1}`, `{"seq":1.0}`, `{"seq":01}`, `{"seq":-0}`, `{"seq":9223372036854775808}`, `{"seq":null}`,
	`{"wall":1.}`, `{"wall":.5}`, `{"wall":1e}`, `{"wall":+1}`, `{"wall":1e999}`, `{"wall":-0}`, `{"wall":0x1p4}`,
	`{"wall":1.5.2}`, `{"wall":00.5}`, `{"wall":-}`, `{"wall":"1"}`, `{"wall":Inf}`,
	`{"text":"a\n"}`, "{\"text\":\"a\tb\"}", "{\"text\":\"\xff\"}", `{"text":"é"}`, `{"text":"a}`, `{"text":"a"`,
	`{}`, `{ "seq":1}`, `{"seq":1} `, `{"seq":1}}`, `{"seq":1},`, `{"seq":1,}`, `{"seq":1 "text":"a"}`, `{"values":{}}`,
	`{"time":-1}`, `{"time":1e7}`, `{"time":1,"time":2}`, `{"time":null}`, `{"time":true}`, `{"Time":1}`, `{"time":[1]}`,
	`{"time":"2026-01-02"}`, `{"time":"2026-01-02T03:04:05+01:00"}`, `{"other":1}`, "\n", `{"seq":1}` + "\n\n",
}

// A line that is read quickly is the event that encoding/json reads.
func TestQuickReading(t *testing.T) {
	for i, line := range lines {
		if quickly := readsAsJSON(t, []byte(line)); i < 4 && !quickly {
			t.Errorf("%s is not read quickly", line)
		}
	}
}

// readsAsJSON compares the quick reading of a line with that of encoding/json. It reports whether there is one.
func readsAsJSON(t *testing.T, line []byte) bool {
	var got Event
	first := Common{Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}
	if !got.quick(line, &first) {
		return false
	}
	want := must.Value(first.slow(line))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", line, diff)
	}
	return true
}
