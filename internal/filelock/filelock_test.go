package filelock

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		t.Helper()
		return must.Value(os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644))(t)
	}
	try := func(f *os.File, want bool) {
		t.Helper()
		if got, err := Try(f); err != nil || got != want {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
	}
	first, second := open(), open()
	try(first, true)
	try(second, false)
	must.OK(t, first.Close())
	try(second, true)
	must.OK(t, second.Close())
	if ok, err := Try(second); err == nil || ok {
		t.Errorf("locked a closed file: %v, %v", ok, err)
	}
}

// Any number may look whether a lock is held, at the same time.
func TestHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		return must.Value(os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644))(t)
	}
	owner := open()
	if free, err := Try(owner); err != nil || !free {
		t.Fatal(free, err)
	}
	for _, want := range []bool{true, false} {
		first, second := open(), open()
		for _, f := range []*os.File{first, second} {
			if held, err := Held(f); err != nil || held != want {
				t.Errorf("held %t, want %t: %v", held, want, err)
			}
		}
		for _, f := range []*os.File{first, second, owner} {
			_ = f.Close() // the owner for the first time alone
		}
	}
	if held, err := Held(owner); err == nil || held {
		t.Errorf("a closed file: %t, %v", held, err)
	}
}
