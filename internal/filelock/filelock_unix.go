//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes the lock of an open file if nobody else has it, and reports whether it
// did. Whoever opened the file for himself is somebody else, in the same process too.
// Close gives the lock back, as does the end of the process.
func Try(f *os.File) (bool, error) { return try(f, syscall.LOCK_EX) }

// Held reports whether somebody else has the lock of an open file. Any number may look at the same
// time, but nobody can take the lock until the file is closed: whoever takes locks of which others
// ask this tries more than once.
func Held(f *os.File) (bool, error) {
	free, err := try(f, syscall.LOCK_SH)
	return err == nil && !free, err
}

func try(f *os.File, kind int) (bool, error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), kind|syscall.LOCK_NB); err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// Close gives the lock of an open file back, if it has it, and closes the file. A process that another goroutine
// starts at this moment has the file, too, until it runs its own program: closing alone would leave the lock to it.
func Close(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
