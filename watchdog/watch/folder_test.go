package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// A folder is listed if it has changed, if it may have without showing it, or if all are wanted; and not otherwise.
func TestFolderIsListedWhenItChanged(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "a", "log"), "")
	write(t, filepath.Join(top, ".hidden", "log"), "")
	x := &folder{path: top}
	now := time.Now().Add(time.Minute)
	check := func(all bool, want ...string) {
		t.Helper()
		var got []string
		x.look(now, all, func(path string) {
			name, _ := filepath.Rel(top, path)
			got = append(got, filepath.ToSlash(name))
		})
		if !slices.Equal(got, want) {
			t.Errorf("visited %q, not %q", got, want)
		}
	}
	check(false, "a/log")
	check(false)
	check(true, "a/log")
	write(t, filepath.Join(top, "a", "b", "log"), "")
	check(false, "a/log", "a/b/log")
	check(false)

	stamp := time.Now().Add(-time.Hour)
	must.OK(t, os.Rename(filepath.Join(top, "a"), filepath.Join(top, "c")))
	check(false, "c/log", "c/b/log")
	folder := filepath.Join(top, "c", "b")
	must.OK(t, os.Chtimes(folder, stamp, stamp))
	now = stamp.Add(settled / 2) // a change that comes now may have the same time
	check(false, "c/b/log")
	write(t, filepath.Join(folder, "late"), "")
	must.OK(t, os.Chtimes(folder, stamp, stamp))
	now = stamp.Add(time.Hour)
	check(false, "c/b/late", "c/b/log")
	check(false)
	must.OK(t, os.RemoveAll(filepath.Join(top, "c")))
	check(false)
}
