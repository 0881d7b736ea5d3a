package process

import "syscall"

// KillSelf ends this process as somebody from outside would: a solver for demonstrations does that.
func KillSelf() { Suicide(syscall.SIGKILL) }
