package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Stopped reports whether the process is held, as by Ctrl-Z.
func (id ID) Stopped() bool {
	stat, err := readProc(fmt.Sprintf("/proc/%d/stat", id.PID))
	fields := statFields(stat)
	return err == nil && len(fields) > 0 && strings.EqualFold(fields[0], "t") && id.Alive()
}

// statFields returns the fields from the third on of /proc/pid/stat (proc(5)). They follow the command's name, which is
// in brackets and may hold any text.
func statFields(stat []byte) []string {
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}

// startMark returns the machine's boot and the clock tick at which a process started (proc(5), /proc/pid/stat field
// 22). It is empty without /proc. zombie: the process has ended, but its parent has not waited for it.
func startMark(pid int) (mark string, zombie bool) {
	stat, err := readProc(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	fields := statFields(stat)
	const state, start = 0, 19
	if len(fields) <= start {
		return "", false
	}
	if _, err := strconv.ParseUint(fields[start], 10, 64); err != nil {
		return "", false
	}
	return markOf(fields[start]), fields[state] == "Z"
}

// boot is the machine's boot, which does not change while this process runs.
var boot = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
})

func markOf(start string) string { return boot() + "/" + start }
