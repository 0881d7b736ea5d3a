package atomic

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
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
	must.OK(t, syscall.Setfsuid(nobody))
	defer func() {
		must.OK(t, syscall.Setfsuid(0))
	}()
	f()
}

func TestAReadOnlyFolderKeepsTheOldFile(t *testing.T) {
	path := old(t)
	dir := filepath.Dir(path)
	if os.Geteuid() == 0 { // the folders belong to the user without rights, so that only the mode counts
		for _, d := range []string{filepath.Dir(dir), dir, path} {
			must.OK(t, os.Chown(d, nobody, -1))
		}
	}
	must.OK(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	asNobody(t, func() {
		fails(t, WriteFile(path, []byte("new")), path, fs.ErrPermission)
	})
	holds(t, path, "old")

	must.OK(t, os.Chmod(dir, 0o755))
	asNobody(t, func() { // it was the folder's mode that failed
		if err := WriteFile(path, []byte("new")); err != nil {
			t.Error(err)
		}
	})
	holds(t, path, "new")
}

func TestOutputWritesIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must.OK(t, syscall.Mkfifo(path, 0o600))
	read := make(chan string)
	go func() {
		data := []byte(nil)
		if f, err := os.Open(path); err == nil {
			data, _ = io.ReadAll(f)
			_ = f.Close()
		}
		read <- string(data)
	}()
	must.OK(t, Output(path, text("new")))
	if got := <-read; got != "new" {
		t.Errorf("the pipe carried %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v (%v)", info, err)
	}
}
