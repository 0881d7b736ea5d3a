//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// OwnGroup makes a command, before its start, the leader of its own process group, so that a terminal's Ctrl-C does not
// reach it.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Detach makes a command, before its start, the leader of a session of its own: no
// signal to its parent's group reaches it.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// SignalGroup sends a signal to the whole group that p leads, even after p has ended. The group's number stays in use
// while a member lives, so this cannot reach a foreign process.
func SignalGroup(p *os.Process, s syscall.Signal) error { return syscall.Kill(-p.Pid, s) }

// Suicide ends this process by a signal, as a crash of a solver does.
func Suicide(s syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), s)
	select {}
}

// EndSignals end the foreground process of a terminal, or a block of a batch system; WarnSignals are sent before by the
// latter.
var (
	EndSignals  = []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	WarnSignals = []os.Signal{syscall.SIGUSR1}
)

// StopSignal is the signal by which a terminal stops its foreground process, and ContinueSignal the signal that
// continues it; nil where they do not exist.
var StopSignal, ContinueSignal os.Signal = syscall.SIGTSTP, syscall.SIGCONT

// Stop stops this process until another process continues it. It may return before the stop takes effect:
// ContinueSignal reports its end.
func Stop() { stopOne(os.Getpid()) }

// Exists reports whether a process has the number: a running process, or an ended one for which its parent has not
// waited yet.
func Exists(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) != syscall.ESRCH }

// Refused reports whether no process listens at the address that was dialled.
func Refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// OwnedByUser reports whether a file or folder is that of the user of this process.
func OwnedByUser(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// RedirectStdout points file descriptor 1, where C and Fortran print, at a file.
func RedirectStdout(f *os.File) error { return unix.Dup2(int(f.Fd()), 1) }

// CanRedirect reports whether RedirectOutput works here.
const CanRedirect = true

// RedirectOutput points file descriptors 1 and 2 at a file, under whatever names this process writes to them. The
// file may be closed then.
func RedirectOutput(f *os.File) error {
	return errors.Join(unix.Dup2(int(f.Fd()), 1), unix.Dup2(int(f.Fd()), 2))
}
