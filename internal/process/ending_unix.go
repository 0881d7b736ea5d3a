//go:build unix

package process

import (
	"os"
	"syscall"
)

// kill ends the group of a process that is no child of this one. The process must be alive.
func kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// terminate asks the group of a process to end.
func terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// killOne ends a single process.
func killOne(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// stopOne stops a single process until it is continued or killed.
func stopOne(pid int) { _ = syscall.Kill(pid, syscall.SIGSTOP) }

// continueOne ends the effect of stopOne.
func continueOne(pid int) { _ = syscall.Kill(pid, syscall.SIGCONT) }

// messages are the signals that carry requests to programs.
var messages = map[string]os.Signal{"SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT, "SIGUSR1": syscall.SIGUSR1,
	"SIGUSR2": syscall.SIGUSR2}

// ByFault reports whether an ended process did so by itself or by a signal that only its own fault raises, and was not
// killed from outside.
func ByFault(s *os.ProcessState) bool {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return true
	}
	switch status.Signal() {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT:
		return false
	}
	return true
}
