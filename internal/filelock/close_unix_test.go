//go:build unix

package filelock

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Close gives a lock back although a process that is just being started has the file, too.
func TestCloseGivesBackWhatAChildHas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		return must.Value(os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644))(t)
	}
	owner, other := open(), open()
	must.Value(Try(owner))(t)
	child := must.Value(syscall.Dup(int(owner.Fd())))(t) // what a fork does
	defer func() { _ = syscall.Close(child) }()
	must.OK(t, Close(owner))
	if free, err := Try(other); err != nil || !free {
		t.Errorf("free: %t, %v", free, err)
	}
	must.OK(t, Close(other))
}
