package process

import (
	"os/exec"
	"syscall"
)

// endWithParent makes a command, before its start, end when the thread that starts it ends.
func endWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
