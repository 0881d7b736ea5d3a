package atomic

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestOutputWritesTheTargetOfALink(t *testing.T) {
	for _, exists := range []bool{true, false} {
		dir := t.TempDir()
		file, link := filepath.Join(dir, "there", "file"), filepath.Join(dir, "link")
		must.OK(t, os.Mkdir(filepath.Dir(file), 0o755))
		if exists {
			must.OK(t, os.WriteFile(file, []byte("old"), 0o600))
		}
		for _, l := range [][2]string{
			{"second", link}, {filepath.Join("there", "file"), filepath.Join(dir, "second")},
		} {
			if err := os.Symlink(l[0], l[1]); err != nil {
				testenv.NotHere(t, "no symbolic links")
			}
		}
		must.OK(t, Output(link, text("new")))
		holds(t, file, "new")
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is %v (%v)", info, err)
		}
	}
}

func TestOutputRefusesALoopAndAFolder(t *testing.T) {
	dir := t.TempDir()
	if err := Output(dir, text("new")); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		testenv.NotHere(t, "no symbolic links")
	}
	if err := Output(loop, text("new")); err == nil {
		t.Error("a link to itself was written")
	}
}

// A file that takes what the process prints is named /dev/stdout, too: it is written at the place where printing
// stands.
func TestOutputGoesWhereTheProcessPrints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "printed")
	f := must.Value(os.Create(path))(t)
	defer func(before *os.File) { os.Stdout = before; _ = f.Close() }(os.Stdout)
	os.Stdout = f
	if ToStandardOutput(filepath.Dir(path)) || !ToStandardOutput(path) {
		t.Error("standard output is taken for something else")
	}
	_, _ = io.WriteString(f, "before ")
	must.OK(t, Output(path, text("new ")))
	_, _ = io.WriteString(f, "after")
	holds(t, path, "before new after")
	cause := errors.New("no convergence")
	if err := Output(path, func(io.Writer) error { return cause }); !errors.Is(err, cause) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
}
