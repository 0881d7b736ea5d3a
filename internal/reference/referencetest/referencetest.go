// Package referencetest gives tests the files of the reference data.
package referencetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/reference"
)

// File returns the path of a file of the reference data. If it is missing the
// test is skipped; where the environment variable CI is true the test fails,
// because a comparison that was not made must not look like one that held.
func File(t testing.TB, parts ...string) string {
	t.Helper()
	dir, err := reference.Dir()
	path := filepath.Join(append([]string{dir}, parts...)...)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}
