//go:build unix

package intaketest

import (
	"syscall"
	"time"
)

// used is the time that this process has spent on processors.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // its arguments are right
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
