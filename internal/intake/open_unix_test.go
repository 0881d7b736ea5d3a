//go:build unix

package intake

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What never ends or never begins is refused at once, behind a link as well.
func TestOpenRefusesDevicesAndPipes(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/dev/zero": "a device", link: "a device", pipe: "a pipe"} {
		f, err := Open(path)
		var kind *KindError
		if f != nil || !errors.As(err, &kind) || !strings.HasSuffix(err.Error(), want+", want a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A name that stands for a pipe only once it was looked at does not hold the program.
func TestOpenDoesNotWait(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
