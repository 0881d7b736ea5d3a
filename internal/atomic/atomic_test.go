package atomic

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// holds fails the test unless dir holds exactly the file at path, with the text.
func holds(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s holds %q, want %q (%v)", path, got, text, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, want one file (%v)", entries, err)
	}
}

// fails fails the test unless err is a file-system error of the kind that names path alone.
func fails(t *testing.T, err error, path string, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	if !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), Prefix) {
		t.Errorf("the error must name %s and no temporary file: %v", path, err)
	}
}

func old(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must.OK(t, os.WriteFile(path, []byte("old"), 0o600))
	return path
}

func TestTheFileIsReplaced(t *testing.T) {
	path := old(t)
	for _, c := range []struct {
		options []Option
		mode    os.FileMode
	}{
		{nil, 0o644}, {[]Option{Sync}, 0o644}, {[]Option{Mode(0o600), Sync}, 0o600},
		{[]Option{Via(t.TempDir())}, 0o644},
	} {
		must.OK(t, WriteFile(path, []byte("new"), c.options...))
		holds(t, path, "new")
		if info, err := os.Stat(path); err != nil || info.Mode() != c.mode {
			t.Errorf("mode %v, want %v (%v)", info.Mode(), c.mode, err)
		}
	}
}

// A reader finds the old content until the last byte of the new one is written.
func TestTheOldContentStaysUntilTheNewIsComplete(t *testing.T) {
	path := old(t)
	long := strings.Repeat("new ", 1<<12)
	err := Stream(path, func(w io.Writer) error {
		for piece := range strings.SplitSeq(long, " ") {
			if _, err := io.WriteString(w, piece); err != nil {
				return err
			}
			if now, err := os.ReadFile(path); string(now) != "old" {
				t.Fatalf("while it is written the file holds %q (%v)", now, err)
			}
		}
		return nil
	})
	must.OK(t, err)
	holds(t, path, strings.ReplaceAll(long, " ", ""))
}

func TestAnErrorOfTheContentKeepsTheOldFile(t *testing.T) {
	path := old(t)
	cause := errors.New("no convergence")
	err := Stream(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return cause
	})
	fails(t, err, path, cause)
	holds(t, path, "old")
}

func TestAPanicOfTheContentKeepsTheOldFile(t *testing.T) {
	path := old(t)
	func() {
		defer func() {
			if recover() != "no such type" {
				t.Error("the panic must reach the caller")
			}
		}()
		_ = Stream(path, func(w io.Writer) error {
			_, _ = io.WriteString(w, "half")
			panic("no such type")
		})
	}()
	holds(t, path, "old")
}

// fullDisk is a file on a disk that has room for a few bytes, or fails at one of the later steps.
type fullDisk struct {
	*os.File
	room               int
	chmod, sync, close error
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, _ := f.File.Write(p[:f.room])
		return n, &fs.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	f.room -= len(p)
	return f.File.Write(p)
}

func (f *fullDisk) Chmod(m os.FileMode) error { return errors.Join(f.chmod, f.File.Chmod(m)) }
func (f *fullDisk) Sync() error               { return errors.Join(f.sync, f.File.Sync()) }
func (f *fullDisk) Close() error              { return errors.Join(f.File.Close(), f.close) }

func TestAFullDiskKeepsTheOldFile(t *testing.T) {
	const size = 10_000 // more than the buffer holds
	for _, c := range []struct {
		name string
		disk fullDisk
		want error
	}{
		{"no room at all", fullDisk{}, syscall.ENOSPC},
		{"room for half", fullDisk{room: size / 2}, syscall.ENOSPC},
		{"no room for the last byte", fullDisk{room: size - 1}, syscall.ENOSPC},
		{"mode", fullDisk{room: size, chmod: syscall.EPERM}, syscall.EPERM},
		{"sync", fullDisk{room: size, sync: syscall.EIO}, syscall.EIO},
		{"close", fullDisk{room: size, close: syscall.EDQUOT}, syscall.EDQUOT},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := old(t)
			f, err := os.CreateTemp(filepath.Dir(path), Prefix)
			must.OK(t, err)
			c.disk.File = f
			err = settings{mode: 0o644, sync: true}.replace(path, &c.disk, func(w io.Writer) error {
				for range size {
					if _, err := w.Write([]byte{'x'}); err != nil {
						return err
					}
				}
				return nil
			})
			fails(t, err, path, c.want)
			holds(t, path, "old")
		})
	}
}

func TestAFolderInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	must.OK(t, os.MkdirAll(filepath.Join(path, "full"), 0o755))
	fails(t, WriteFile(path, nil), path, syscall.EEXIST)
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), Prefix+"*")); err != nil || left != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAFolderThatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "file")
	fails(t, WriteFile(path, nil), path, fs.ErrNotExist)
}

// What one try has written is the beginning of the next, until a try succeeds; nothing but the file is left.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	add := func(text string, after error) (had string, err error) {
		err = Resume(path, func(part *os.File) error {
			data, err := io.ReadAll(part)
			had = string(data)
			_, werr := part.WriteString(text)
			return errors.Join(err, werr, after)
		}, Mode(0o640))
		return had, err
	}
	broke := errors.New("broke")
	if had, err := add("a", broke); had != "" || !errors.Is(err, broke) {
		t.Errorf("had %q, %v", had, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a part has the name")
	}
	if had, err := add("b", broke); had != "a" || !errors.Is(err, broke) {
		t.Errorf("had %q, %v", had, err)
	}
	if had, err := add("c", nil); had != "ab" || err != nil {
		t.Errorf("had %q, %v", had, err)
	}
	holds(t, path, "abc")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if had, err := add("d", &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}); had != "" ||
		!errors.Is(err, syscall.ENOSPC) {
		t.Errorf("had %q, %v", had, err)
	}
	holds(t, path, "abc")
	if err := Resume(filepath.Join(path, "x"), func(*os.File) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "x") {
		t.Errorf("below a file: %v", err)
	}
}
