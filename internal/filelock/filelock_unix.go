//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes the lock of an open file if it is free, and reports whether it did. Each open file is a separate holder,
// also within a process. Close releases the lock, as does the end of the process.
func Try(f *os.File) (bool, error) { return try(f, syscall.LOCK_EX) }

// Held reports whether another open file holds the lock. Any number of files may test the lock concurrently, but the
// lock cannot be taken until they are closed. Callers of Try on a lock that others test must therefore retry.
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

// Close releases the lock of an open file, if it holds it, and closes the file. A process that another goroutine starts
// at this moment inherits the file until it executes its own program; closing alone would leave the lock to it.
func Close(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
