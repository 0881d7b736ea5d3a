package process

import "syscall"

// KillSelf ends this process as a kill from outside would, for a demonstration solver.
func KillSelf() { Suicide(syscall.SIGKILL) }
