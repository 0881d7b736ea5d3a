//go:build unix

package hosting

// Process groups: a plugin leads one, so that whatever it starts ends with it, and so
// that a terminal's Ctrl-C reaches the host alone, which then stops its plugins in order.

import (
	"os"
	"os/exec"
	"syscall"
)

// lead makes a command the leader of a group.
func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a whole group to end; kill ends it. A group's number stays taken as
// long as one member lives, so neither can hit a stranger while the leader is not waited for.
func terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }
func kill(pid int)      { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// exists reports whether some process has that number.
func exists(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// byFault reports whether an ended process did so by itself or by a signal that only
// its own fault raises, and not because somebody killed it.
func byFault(s *os.ProcessState) bool {
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
