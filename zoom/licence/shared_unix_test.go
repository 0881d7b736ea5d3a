//go:build unix

package licence_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/licence"
)

// In a folder that a group can write its members can take the locks, whatever the umask of who made them; so they can
// in one below it.
func TestLocksAreShared(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	for _, c := range []struct {
		folder os.FileMode
		want   os.FileMode // of a lock
	}{{0o775 | os.ModeSetgid, 0o664}, {0o755, 0o600}} {
		dir := t.TempDir()
		must.OK(t, os.Chmod(dir, c.folder))
		p := &licence.Pool{Name: "cfd", Of: 1, Folder: filepath.Join(dir, "licences")}
		back := must.Value(p.Take(t.Context(), func(string) {}))(t)
		back()
		info, err := os.Stat(filepath.Join(dir, "licences", "cfd.1"))
		if err != nil || info.Mode().Perm() != c.want {
			t.Errorf("in a folder %v: a lock %v, %v, want %v", c.folder, info.Mode(), err, c.want)
		}
	}
}
