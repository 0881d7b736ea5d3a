// Package fault separates faults of the machine from errors in the user's input: no input mends a full disk or a lost
// process.
package fault

import (
	"errors"
	"slices"
	"syscall"
)

// Error marks an error as a fault of the machine where the system's error does not show it.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Machine marks an error as a fault of the machine. A nil error stays nil.
func Machine(err error) error {
	if err == nil {
		return nil
	}
	return &Error{err}
}

// machine are the system's errors that no input causes: no room, no memory, no more files or
// processes, a broken disk.
var machine = []syscall.Errno{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.ENOMEM,
	syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN,
}

// Is reports whether an error is, or comes from, a fault of the machine.
func Is(err error) bool {
	var marked *Error
	return errors.As(err, &marked) ||
		slices.ContainsFunc(machine, func(e syscall.Errno) bool { return errors.Is(err, e) })
}
