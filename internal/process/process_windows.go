package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// OwnGroup makes a command, before its start, one that a console's Ctrl-C does not reach.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// Detach makes a command, before its start, one without its parent's console.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// SignalGroup ends p at once if the signal is SIGKILL, but not what p started. Other
// signals do nothing: Windows cannot ask a process without a console to end.
func SignalGroup(p *os.Process, s syscall.Signal) error {
	if s != syscall.SIGKILL {
		return errors.ErrUnsupported
	}
	return p.Kill()
}

// Suicide ends this process as if somebody had killed it, whatever the signal.
func Suicide(syscall.Signal) {
	_ = windows.TerminateProcess(windows.CurrentProcess(), 1)
	select {}
}

// EndSignals end what is in the foreground of a terminal; nobody warns before.
var (
	EndSignals  = []os.Signal{os.Interrupt}
	WarnSignals = []os.Signal{syscall.SIGTRAP} // which never comes
)

// StopSignal and ContinueSignal are those by which a terminal holds what runs on it: there are none.
var StopSignal, ContinueSignal os.Signal

// Stop would hold this process.
func Stop() {}

// Exists reports whether a process with the number runs. One that may not be looked at does.
func Exists(pid int) bool {
	if pid <= 0 {
		return false
	}
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(h) }()
	state, err := windows.WaitForSingleObject(h, 0)
	return err == nil && state == uint32(windows.WAIT_TIMEOUT) // its handle is signalled once it has ended
}

// Refused reports whether nobody listens at the address that was dialled.
func Refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// OwnedByUser is true: folders for temporary files are the user's own.
func OwnedByUser(os.FileInfo) bool { return true }

// CanRedirect says whether RedirectOutput works here.
const CanRedirect = false

// RedirectOutput does not work here: handles that are open keep their files.
func RedirectOutput(*os.File) error { return errors.ErrUnsupported }

// RedirectStdout points the standard output at a file, for processes that are started
// from now on and libraries that print for the first time. A C library that has
// printed before keeps the old one.
func RedirectStdout(f *os.File) error {
	return windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(f.Fd()))
}
