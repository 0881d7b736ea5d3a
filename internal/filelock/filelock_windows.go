package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes the lock of an open file if it is free, and reports whether it did. Each open file is a separate holder,
// also within a process. Closing the file releases the lock. An open file cannot be removed.
func Try(f *os.File) (bool, error) { return try(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// Held reports whether another open file holds the lock. Any number of files may test the lock concurrently, but the
// lock cannot be taken until they are closed. Callers of Try on a lock that others test must therefore retry.
func Held(f *os.File) (bool, error) {
	free, err := try(f, 0)
	return err == nil && !free, err
}

func try(f *os.File, kind uint32) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), kind|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Close releases the lock of an open file, if it holds it, and closes the file.
func Close(f *os.File) error { return f.Close() }
