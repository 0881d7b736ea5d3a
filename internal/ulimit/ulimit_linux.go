package ulimit

import (
	"strconv"
	"syscall"
)

const (
	// leastAddresses are the bytes of address space with which four runs at a time were seen to work; with 2 GB the Go
	// runtime fails.
	leastAddresses = 3e9
	// machineFault is the exit code of a fault of the machine.
	machineFault = 70
)

func init() {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || r.Cur >= leastAddresses {
		return
	}
	text := "peregrine: the address space is limited to " + strconv.FormatFloat(float64(r.Cur)/1e9, 'g', 3, 64) +
		" GB (ulimit -v), and Peregrine needs " + strconv.Itoa(leastAddresses/1e9) + " GB: raise the limit\n"
	_, _ = syscall.Write(syscall.Stderr, []byte(text)) // the exit code remains
	syscall.Exit(machineFault)
}
