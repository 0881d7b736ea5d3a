package process

import (
	"os/exec"
	"syscall"
)

// endWithParent makes a command, before its start, end when the thread that starts it ends.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
