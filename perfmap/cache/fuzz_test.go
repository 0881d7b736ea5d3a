package cache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever an entry holds, it is given out whole or set aside.
func FuzzEntry(f *testing.F) {
	f.Add(append(header([]byte("answer")), "answer"...))
	f.Add(append(header([]byte("answer")), "answes"...))
	f.Add([]byte("peregrine-cache 1 99999999999 00\n"))
	c := must.Value(Open(f.TempDir()))(f)
	k := must.Value(NewKey(map[string]string{"a": "fuzz"}))(f)
	must.OK(f, os.MkdirAll(filepath.Dir(c.path(k)), 0o700))
	f.Fuzz(func(t *testing.T, raw []byte) {
		must.OK(t, os.WriteFile(c.path(k), raw, 0o600))
		intaketest.Bounded(t, len(raw), func() {
			data, ok, err := c.Get(k)
			var damaged *DamagedError
			if ok != (err == nil) || err != nil && !errors.As(err, &damaged) ||
				ok && string(header(data))+string(data) != string(raw) {
				t.Fatalf("%q: %v, %v", data, ok, err)
			}
		})
	})
}
