package hosting

// Windows has no process groups that end together and no signals: a plugin's
// process is ended alone, and what it started must end by itself.

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func lead(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP} // keeps Ctrl-C from it
}

func terminate(pid int) { kill(pid) }

func kill(pid int) {
	if h, err := syscall.OpenProcess(syscall.PROCESS_TERMINATE, false, uint32(pid)); err == nil {
		_ = syscall.TerminateProcess(h, killed)
		_ = syscall.CloseHandle(h)
	}
}

// killed is the exit code of a process that was ended.
const killed = 0x4b494c4c

// open returns a handle with which a process can be looked at.
func open(pid int) (syscall.Handle, error) {
	const limitedInformation = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	return syscall.OpenProcess(limitedInformation, false, uint32(pid))
}

func exists(pid int) bool {
	h, err := open(pid)
	if err != nil {
		return false
	}
	defer func() { _ = syscall.CloseHandle(h) }()
	const stillActive = 259
	var code uint32
	return syscall.GetExitCodeProcess(h, &code) == nil && code == stillActive
}

// startMark is the time at which a process started, in 100 ns.
func startMark(pid int) (mark string, zombie bool) {
	h, err := open(pid)
	if err != nil {
		return "", false
	}
	defer func() { _ = syscall.CloseHandle(h) }()
	var started, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(h, &started, &ended, &kernel, &user) != nil {
		return "", false
	}
	return fmt.Sprint(started.Nanoseconds()), false
}

func byFault(s *os.ProcessState) bool { return s.ExitCode() != killed }
