package checksum_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
}

func sum(t *testing.T, path string) string {
	t.Helper()
	return must.Value(checksum.Of(path))(t)
}

// A hash changes with what a file holds, with its name in a folder, and with nothing else.
func TestWhatCounts(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, folder := range []string{a, b} {
		write(t, filepath.Join(folder, "x"), "one")
		write(t, filepath.Join(folder, "in", "y"), "two")
	}
	must.Equal(t, sum(t, b), sum(t, a))
	must.Equal(t, sum(t, filepath.Join(b, "x")), sum(t, filepath.Join(a, "x")))
	before := sum(t, b)
	seen := map[string]string{before: "as it was"}
	for _, change := range []struct{ what, from, to string }{
		{"renamed", "x", "z"}, {"moved", "in/y", "y"}, {"renamed to a name with an end of line", "x", "x\n"},
	} {
		from, to := filepath.Join(b, change.from), filepath.Join(b, change.to)
		must.OK(t, os.Rename(from, to))
		s := sum(t, b)
		if other, twice := seen[s]; twice {
			t.Errorf("%s: the same as %s", change.what, other)
		}
		seen[s] = change.what
		must.OK(t, os.Rename(to, from))
	}
	write(t, filepath.Join(b, "x"), "two")
	if sum(t, b) == before {
		t.Error("other content does not show")
	}
}

// A file whose name has a line in it is not two.
func TestNamesAreQuoted(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	write(t, filepath.Join(two, "a"), "x")
	write(t, filepath.Join(two, "b"), "y")
	write(t, filepath.Join(one, fmt.Sprintf("a %x\nb", sha256.Sum256([]byte("x")))), "y")
	if sum(t, one) == sum(t, two) {
		t.Error("one file is as two")
	}
}

// A link to a file is as that file, whose sum is that of sha256sum.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x"), "one")
	if err := os.Symlink("x", filepath.Join(dir, "link")); err != nil {
		testenv.NotHere(t, "no symbolic links")
	}
	write(t, filepath.Join(dir, "x"), "two")
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("two")))
	must.Equal(t, want, sum(t, filepath.Join(dir, "link")))
}

func TestWhatIsNoFile(t *testing.T) {
	if _, err := checksum.Of(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	var kind *intake.KindError
	if _, err := checksum.Of(os.DevNull); !errors.As(err, &kind) {
		t.Error(err)
	}
}
