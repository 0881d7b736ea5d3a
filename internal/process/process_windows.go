package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// OwnGroup protects a command, before its start, from a console's Ctrl-C.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// Detach starts a command, set before its start, without its parent's console.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// SignalGroup ends p at once if the signal is SIGKILL, but not its descendants. Other signals have no effect: Windows
// cannot ask a process without a console to end.
func SignalGroup(p *os.Process, s syscall.Signal) error {
	if s != syscall.SIGKILL {
		return errors.ErrUnsupported
	}
	return p.Kill()
}

// Suicide ends this process as a kill from outside does, whatever the signal.
func Suicide(syscall.Signal) {
	_ = windows.TerminateProcess(windows.CurrentProcess(), 1)
	select {}
}

// EndSignals end the foreground process of a terminal; no warning precedes.
var (
	EndSignals  = []os.Signal{os.Interrupt}
	WarnSignals = []os.Signal{syscall.SIGTRAP} // never sent
)

// StopSignal and ContinueSignal are nil: a terminal does not stop its foreground process here.
var StopSignal, ContinueSignal os.Signal

// Stop would hold this process.
func Stop() {}

// Exists reports whether a process with the number runs. A process without permission for the query does.
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

// Refused reports whether no process listens at the address that was dialled.
func Refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// OwnedByUser is true: folders for temporary files are the user's own.
func OwnedByUser(os.FileInfo) bool { return true }

// CanRedirect says whether RedirectOutput works here.
const CanRedirect = false

// RedirectOutput does not work here: handles that are open keep their files.
func RedirectOutput(*os.File) error { return errors.ErrUnsupported }

// RedirectStdout points the standard output at a file, for processes that start later and libraries that print for the
// first time. A C library that has printed before keeps the old output.
func RedirectStdout(f *os.File) error {
	return windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(f.Fd()))
}
