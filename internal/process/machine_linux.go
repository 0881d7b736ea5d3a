package process

import (
	"bytes"
	"strings"

	"golang.org/x/sys/unix"
)

func (f *MachineFacts) read() {
	f.Boot = boot()
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		f.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		f.Memory = int64(info.Totalram) * int64(info.Unit)
	}
	text, _ := readProc("/proc/cpuinfo")
	for line := range bytes.Lines(text) {
		if key, value, found := strings.Cut(string(line), ":"); found && strings.TrimSpace(key) == "model name" {
			f.CPU = strings.TrimSpace(value)
			break
		}
	}
}

// Load returns the number of processes that needed a processor of this machine in the last minute; negative: unknown.
func Load() float64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return -1
	}
	return float64(info.Loads[0]) / 65536
}

// Free is how many bytes may be written in a folder; negative: not known.
func Free(folder string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * s.Bsize
}
