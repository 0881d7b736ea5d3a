package process

import (
	"os"
	"syscall"
)

// Space names the set of processes among which this process's number is unique, such as a container's processes. It is
// empty if unknown.
func Space() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// AddressLimit returns the limit on the address space of this process (ulimit -v), in bytes; 0: there is none.
func AddressLimit() uint64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || r.Cur > 1<<62 {
		return 0
	}
	return r.Cur
}
