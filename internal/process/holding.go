package process

// What a process holds, as Linux shows it.

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Children reports whether a process has started others that live and that no third process has taken over (proc(5),
// /proc/pid/task/tid/children); false where that cannot be known.
func Children(pid int) bool {
	threads := fmt.Sprintf("/proc/%d/task/", pid)
	entries, _ := os.ReadDir(threads) // none of a process that has ended
	for _, e := range entries {
		if text, err := os.ReadFile(threads + e.Name() + "/children"); err == nil && len(bytes.TrimSpace(text)) > 0 {
			return true
		}
	}
	return false
}

// Usage is what a process has used until now.
type Usage struct {
	CPU      time.Duration // of its own and of processes that it started and has waited for
	Memory   int64         // the most that it held at a time, without that of processes which it started, bytes
	Resident int64         // what it holds, bytes
}

// ticks is how many times a second the kernel counts processor time (proc(5), USER_HZ, which is 100 on all machines).
const ticks = 100

// Used is what a process has used (proc(5), /proc/pid/stat and status); zero where that cannot be known, as of one that has ended.
func Used(pid int) (u Usage) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // from the third on
	for i := 11; i < 15 && i < len(fields); i++ {
		n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // what is no number counts nothing
		u.CPU += time.Duration(n) * time.Second / ticks
	}
	if text, err = os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err != nil {
		return u
	}
	u.Memory, u.Resident = memory(text, "VmHWM"), memory(text, "VmRSS")
	return u
}

// memory is a line of /proc/pid/status in bytes, 0 if it is not there.
func memory(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
	number, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" kB"))
	kB, _ := strconv.ParseInt(string(number), 10, 64)
	return kB << 10
}
