package process

// Resources of a process, as Linux reports them.

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// readProc reads a file of /proc, which has a few lines and is made while it is read: os.ReadFile takes three times the
// system calls.
func readProc(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	text := make([]byte, 0, 2048)
	for {
		n, err := unix.Read(fd, text[len(text):cap(text)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if text = text[:len(text)+n]; len(text) < cap(text) {
			return text, nil
		}
		text = slices.Grow(text, cap(text))
	}
}

// Children reports whether a process has started others that live and that no third process has taken over; false where
// unknown.
func Children(pid int) bool { return len(children(pid)) > 0 }

// children returns the children of a process, and the ended ones for which it has not waited yet (proc(5),
// /proc/pid/task/tid/children); none where unknown.
func children(pid int) (list []int) {
	threads := fmt.Sprintf("/proc/%d/task/", pid)
	entries, _ := os.ReadDir(threads) // none of a process that has ended
	for _, e := range entries {
		text, _ := readProc(threads + e.Name() + "/children")
		for _, field := range bytes.Fields(text) {
			if n, err := strconv.Atoi(string(field)); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}

// ticks is how many times a second the kernel counts processor time (proc(5), USER_HZ, which is 100 on all machines).
const ticks = 100

// Used returns the use of a process (proc(5), /proc/pid/stat and status); zero where unknown, for example for an ended
// process.
func Used(pid int) (u Usage) {
	text, err := readProc(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // from the third on
	for i := 11; i < 15 && i < len(fields); i++ {
		n, _ := strconv.ParseInt(string(fields[i]), 10, 64) // an invalid number counts as 0
		u.CPU += time.Duration(n) * time.Second / ticks
	}
	if text, err = readProc(fmt.Sprintf("/proc/%d/status", pid)); err != nil {
		return u
	}
	u.Memory, u.Resident = memory(text, "VmHWM"), memory(text, "VmRSS")
	return u
}

// memory returns a line of /proc/pid/status in bytes, 0 if it is missing.
func memory(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
	number, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" kB"))
	kB, _ := strconv.ParseInt(string(number), 10, 64)
	return kB << 10
}

// Written returns the regular files that processes hold open for writing, and these processes (proc(5), /proc/pid/fd:
// the rights of a link are those of the open file). It does not see processes of other users, containers and machines.
func Written() map[File][]ID {
	files, known := map[File][]ID{}, map[string]ID{}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*") // none of a process that has ended
	for _, link := range links {
		info, err := os.Lstat(link)
		if err != nil || info.Mode().Perm()&0o200 == 0 {
			continue
		}
		if info, err = os.Stat(link); err != nil || !info.Mode().IsRegular() {
			continue
		}
		number := strings.Split(link, "/")[2]
		id, is := known[number]
		if !is {
			pid, _ := strconv.Atoi(number) // digits alone
			id = Identify(pid)
			known[number] = id
		}
		if file := FileOf(info); !slices.Contains(files[file], id) {
			files[file] = append(files[file], id)
		}
	}
	return files
}

// EndWriter asks a process that [Written] has found to end (SIGTERM). It must still be the same, and this user's.
func EndWriter(id ID) error {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", id.PID))
	if err != nil || !id.Alive() {
		return fmt.Errorf("process %d has ended", id.PID)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("process %d belongs to another user", id.PID)
	}
	return syscall.Kill(id.PID, syscall.SIGTERM)
}

// FileOf returns the identity of a file.
func FileOf(info fs.FileInfo) (f File) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		f = File{device: s.Dev, inode: s.Ino}
	}
	return f
}
