package folder

import (
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"golang.org/x/sys/unix"
)

// EachSynced are the options for files that Sync flushes: none, as it flushes them together.
var EachSynced []atomic.Option

// Sync flushes all files of the folder's file system to the disk.
func (t *Tree) Sync() error {
	f, err := t.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it has no data
	return unix.Syncfs(int(f.Fd()))
}
