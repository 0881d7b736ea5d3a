package process

// What a process holds, as Linux shows it.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
