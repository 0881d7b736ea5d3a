package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// programNamed returns a path of this test's executable that ends in a name, by which TestMain chooses what it is.
func programNamed(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	must.OK(t, os.Symlink(must.Value(os.Executable())(t), program))
	return program
}
