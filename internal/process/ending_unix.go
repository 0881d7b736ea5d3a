//go:build unix

package process

import (
	"os"
	"syscall"
)

// kill ends the group of a process that is no child of this one. It must be known to live.
func kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// terminate asks the group of a process to end.
func terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// killOne ends one process.
func killOne(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// stopOne holds one process until it is killed.
func stopOne(pid int) { _ = syscall.Kill(pid, syscall.SIGSTOP) }

// continueOne ends what stopOne does.
func continueOne(pid int) { _ = syscall.Kill(pid, syscall.SIGCONT) }

// messages are the signals by which programs are asked for something.
var messages = map[string]os.Signal{"SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT, "SIGUSR1": syscall.SIGUSR1,
	"SIGUSR2": syscall.SIGUSR2}

// ByFault reports whether an ended process did so by itself or by a signal that only
// its own fault raises, and not because somebody killed it.
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
