package process

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// kill ends a process that is no child of this one, but not its descendants.
func kill(pid int) {
	if h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid)); err == nil {
		_ = windows.TerminateProcess(h, 1)
		_ = windows.CloseHandle(h)
	}
}

// terminate also kills it: it has no console for a request to end.
func terminate(pid int) { kill(pid) }

// startMark returns the start time of a process, ns. Windows has no zombies.
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

// killOne ends a single process.
func killOne(pid int) { kill(pid) }

// stopOne has no effect: Windows stops no processes.
func stopOne(int) {}

// continueOne has no effect.
func continueOne(int) {}

// messages are none: Windows has no signals.
var messages map[string]os.Signal

// ByFault is true: an exit code does not show whether the process was killed.
func ByFault(*os.ProcessState) bool { return true }
