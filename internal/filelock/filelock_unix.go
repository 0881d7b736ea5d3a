//go:build unix

package filelock

import (
	"os"
	"syscall"
)

// Try takes the lock of an open file if nobody else has it, and reports whether it
// did. Whoever opened the file for himself is somebody else, in the same process too.
// Closing the file gives the lock back.
func Try(f *os.File) (bool, error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return false, nil
		default:
			return err == nil, err
		}
	}
}
