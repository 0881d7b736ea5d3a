package intaketest

import (
	"syscall"
	"time"
)

// used is the time that this process has spent on processors.
func used() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err) // it has no reason to fail
	}
	var started, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &started, &ended, &kernel, &user); err != nil {
		panic(err) // its arguments are right
	}
	ticks := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 + int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100 // of 100 ns
}
