//go:build unix

package folder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestPrivateUnderAnyUmask(t *testing.T) {
	dir := t.TempDir()
	for i, mask := range []int{0, 0o022, 0o277, 0o777} {
		old := syscall.Umask(mask)
		path := filepath.Join(dir, string(rune('a'+i)), "b", "c")
		err := folder.MakeAll(path)
		syscall.Umask(old)
		if err != nil {
			t.Errorf("umask %o: %v", mask, err)
			continue
		}
		for ; path != dir; path = filepath.Dir(path) {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("umask %o: %v, %v", mask, info.Mode(), err)
			}
		}
	}
	if err := folder.Make(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that is there: %v", err)
	}
	must.OK(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	if err := folder.MakeAll(filepath.Join(dir, "file", "in it")); err == nil {
		t.Error("a folder within a file")
	}
	if err := folder.MakeAll(filepath.Join(dir, "a")); err != nil {
		t.Errorf("one that is there: %v", err)
	}
}

func TestTemporaryWithoutItsFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	path := must.Value(folder.Temporary("test"))(t)
	must.OK(t, os.Remove(path))
}

// An error says where the fault is, not only the name below the folder, and is still of its kind.
func TestErrorsNameTheWholePath(t *testing.T) {
	dir := t.TempDir()
	tree := must.Value(folder.Open(dir))(t)
	defer func() { must.OK(t, tree.Close()) }()
	path := filepath.Join(dir, "missing", "x")
	for what, act := range map[string]func() error{
		"open":   func() error { _, err := tree.Open(path); return err },
		"edit":   func() error { _, err := tree.Edit(path, 0); return err },
		"lock":   func() error { _, err := tree.Lock(path); return err },
		"stat":   func() error { _, err := tree.Stat(path); return err },
		"list":   func() error { _, err := tree.ReadDir(path); return err },
		"remove": func() error { return tree.Remove(path) },
		"rename": func() error { return tree.Rename(path, filepath.Join(dir, "y")) },
		"touch":  func() error { return tree.Touch(path, time.Time{}) },
	} {
		if err := act(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
