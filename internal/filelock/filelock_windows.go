package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes the lock of an open file if nobody else has it, and reports whether it
// did. Whoever opened the file for himself is somebody else, in the same process too.
// Closing the file gives the lock back. While it is open, nobody can remove the file.
func Try(f *os.File) (bool, error) { return try(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// Held reports whether somebody else has the lock of an open file. Any number may look at the same
// time, but nobody can take the lock until the file is closed: whoever takes locks of which others
// ask this tries more than once.
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

// Close gives the lock of an open file back, if it has it, and closes the file.
func Close(f *os.File) error { return f.Close() }
