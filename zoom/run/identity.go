package run

// Which process is meant when a run folder names one. A number alone is not
// enough: numbers are used again, and a host that stopped a stranger's process would be
// worse than one that lost a run.

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// alive reports whether the process with that number and start mark still
// runs. Without a start mark (a system without /proc) the number decides.
func alive(pid int, mark string) bool {
	if !process.Exists(pid) {
		return false
	}
	now, zombie := startMark(pid)
	return !zombie && (mark == "" || now == "" || now == mark)
}

// startMark identifies a process beyond its number: the machine's boot and the
// clock tick at which the process started (Linux, proc(5), /proc/pid/stat field 22).
// It is empty where that is not known. zombie: it has ended, but its parent has not asked.
func startMark(pid int) (mark string, zombie bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The command's name, in brackets, may hold anything; what follows is plain.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const state, start = 0, 19 // fields 3 and 22, counted from the bracket
	if len(fields) <= start {
		return "", false
	}
	if _, err := strconv.ParseUint(fields[start], 10, 64); err != nil {
		return "", false
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + "/" + fields[start], fields[state] == "Z"
}
