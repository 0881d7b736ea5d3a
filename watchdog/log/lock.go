package log

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/filelock"
)

const lockName = ".lock"

// BusyError reports a study whose log another process writes.
type BusyError struct{ Study string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("study %s is being worked on by another process; wait for its end or give another name (--study)", e.Study)
}

// lock locks the folder. The kernel releases the lock when this process dies.
func lock(folder string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(folder, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	switch free, err := filelock.Try(f); {
	case err != nil:
		return nil, fmt.Errorf("study: %w", errors.Join(err, f.Close()))
	case !free:
		_ = f.Close() // nothing was written
		return nil, &BusyError{filepath.Base(folder)}
	}
	return f.Close, nil
}

// Busy reports whether a process writes the log of a study.
func Busy(folder string) bool {
	f, err := os.Open(filepath.Join(folder, lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := filelock.Try(f)
	return err == nil && !free
}
