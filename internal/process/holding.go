package process

// What a process holds, as Linux shows it.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Resident is the memory that a process holds, bytes (proc(5), /proc/pid/statm); 0 where that cannot be known.
func Resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// Children reports whether a process has started others that live and that no third process has taken over (proc(5),
// /proc/pid/task/tid/children); false where that cannot be known.
func Children(pid int) bool {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is good
	for _, list := range lists {
		if text, err := os.ReadFile(list); err == nil && len(bytes.TrimSpace(text)) > 0 {
			return true
		}
	}
	return false
}

// Usage is what a process has used until now.
type Usage struct {
	CPU    time.Duration // of its own and of processes that it started and has waited for
	Memory int64         // the most that it held at a time, bytes
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
	if _, rest, found := bytes.Cut(text, []byte("\nVmHWM:")); found {
		if fields := bytes.Fields(rest); len(fields) > 1 {
			kB, _ := strconv.ParseInt(string(fields[0]), 10, 64)
			u.Memory = kB << 10
		}
	}
	return u
}
