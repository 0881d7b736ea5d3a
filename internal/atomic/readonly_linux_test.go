package atomic

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// nobody is a user without rights.
const nobody = 65534

// asNobody runs f with the file rights of a user who is not root: root may
// write into every folder. The change concerns the calling thread alone.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

func TestAReadOnlyFolderKeepsTheOldFile(t *testing.T) {
	path := old(t)
	dir := filepath.Dir(path)
	if os.Geteuid() == 0 { // the folders belong to the user without rights, so that only the mode counts
		for _, d := range []string{filepath.Dir(dir), dir, path} {
			if err := os.Chown(d, nobody, -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	asNobody(t, func() {
		fails(t, WriteFile(path, []byte("new")), path, fs.ErrPermission)
	})
	holds(t, path, "old")

	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() { // it was the folder's mode that failed
		if err := WriteFile(path, []byte("new")); err != nil {
			t.Error(err)
		}
	})
	holds(t, path, "new")
}
