package process

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// kill ends a process that is no child of this one, but not what it started.
func kill(pid int) {
	if h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid)); err == nil {
		_ = windows.TerminateProcess(h, 1)
		_ = windows.CloseHandle(h)
	}
}

// terminate ends it, too: it has no console by which it could be asked.
func terminate(pid int) { kill(pid) }

// startMark is the time at which a process started, ns. There are no zombies.
func startMark(pid int) (mark string, zombie bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var started, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &started, &ended, &kernel, &user) != nil {
		return "", false
	}
	return fmt.Sprint(started.Nanoseconds()), false
}

// killOne ends one process.
func killOne(pid int) { kill(pid) }

// stopOne does nothing: Windows holds no processes.
func stopOne(int) {}

// continueOne does nothing.
func continueOne(int) {}

// messages are none: Windows has no signals.
var messages map[string]os.Signal

// ByFault is true: from an exit code nobody can say that somebody ended the process.
func ByFault(*os.ProcessState) bool { return true }
