package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		return f
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
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	try(second, true)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if ok, err := Try(second); err == nil || ok {
		t.Errorf("locked a closed file: %v, %v", ok, err)
	}
}
