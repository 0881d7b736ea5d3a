package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever an entry holds, it is given out whole or set aside.
func FuzzEntry(f *testing.F) {
	f.Add([]byte("peregrine-cache 1 99999999999 00\n"))
	c := must.Value(Open(f.TempDir()))(f)
	k := must.Value(NewKey(map[string]string{"a": "fuzz"}))(f)
	answer := []byte("answer")
	f.Add(append(header(k, answer), answer...))
	f.Add(append(header(Key{}, answer), answer...))
	f.Add(append(header(k, answer), "answes"...))
	f.Add(append(unboundHeader(answer), answer...))
	must.OK(f, os.MkdirAll(filepath.Dir(c.path(k)), 0o700))
	f.Fuzz(func(t *testing.T, raw []byte) {
		must.OK(t, os.WriteFile(c.path(k), raw, 0o600))
		intaketest.Bounded(t, len(raw), func() {
			data, ok, err := c.Get(k)
			var damaged *DamagedError
			if ok != (err == nil) || err != nil && !errors.As(err, &damaged) ||
				ok && !bytes.HasSuffix(raw, data) {
				t.Fatalf("%q: %v, %v", data, ok, err)
			}
			now, _ := os.ReadFile(c.path(k)) // an entry without its key is written anew
			if ok && string(now) != string(header(k, data))+string(data) {
				t.Fatalf("%q has become %q", raw, now)
			}
		})
	})
}
