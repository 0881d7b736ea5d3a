package event

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever an event log holds, its good events are read, and it can be appended to.
func FuzzLog(f *testing.F) {
	for _, s := range []string{"", "{\"format\":2}\n{\"kind\":\"iteration\",\"values\":{\"residual\":1}}\n",
		"{\"format\":1}\nrubbish\n{\"kind\":\"ended\"", "{\"format\":99}\n"} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), LogName)
	f.Fuzz(func(t *testing.T, data []byte) {
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
