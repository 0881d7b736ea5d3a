package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// startMark returns the start time of a process (sysctl kern.proc.pid). zombie: the process has ended, but its parent
// has not waited for it.
func startMark(pid int) (mark string, zombie bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", false
	}
	const ended = 5 // SZOMB of sys/proc.h
	return fmt.Sprintf("%d.%06d", p.Proc.P_starttime.Sec, p.Proc.P_starttime.Usec), p.Proc.P_stat == ended
}
