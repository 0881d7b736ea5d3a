package process

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// A file is written while a process holds it open for writing, not while one reads it.
func TestWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	f := must.Value(os.Create(path))(t)
	id := FileOf(must.Value(f.Stat())(t))
	must.Equal(t, true, slices.Contains(Written()[id], Self()))
	must.OK(t, f.Close())
	f = must.Value(os.Open(path))(t)
	must.Equal(t, false, slices.Contains(Written()[id], Self()))
	must.OK(t, f.Close())
}
