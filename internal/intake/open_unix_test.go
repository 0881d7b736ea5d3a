//go:build unix

package intake

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// What never ends or never begins is refused at once, behind a link as well.
func TestOpenRefusesDevicesAndPipes(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must.OK(t, syscall.Mkfifo(pipe, 0o600))
	link := filepath.Join(dir, "link")
	must.OK(t, os.Symlink("/dev/zero", link))
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
	must.OK(t, syscall.Mkfifo(pipe, 0o600))
	f := must.Value(os.OpenFile(pipe, os.O_RDONLY|WithoutWaiting, 0))(t)
	must.OK(t, f.Close())
}
