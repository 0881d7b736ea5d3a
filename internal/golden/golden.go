// Package golden compares the results of a test with a file under testdata: texts to the letter, figures to the last
// bit. With PEREGRINE_STORE=1 it writes the files instead; the commit then explains the change.
package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update reports whether golden files are written instead of compared.
func Update() bool { return os.Getenv("PEREGRINE_STORE") != "" }

// Text compares a text with a file, line by line.
func Text(t testing.TB, file, got string) {
	t.Helper()
	if Update() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; PEREGRINE_STORE=1 writes it", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (- kept, + computed; PEREGRINE_STORE=1 writes it):\n%s", file, d)
	}
}
