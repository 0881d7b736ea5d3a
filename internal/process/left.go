package process

// Remains of killed processes: temporary files and folders. Their names identify their processes, so that files of dead
// processes can be distinguished from files in use.

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Tag is the part of the name of a temporary file or folder that identifies its process: the process's number, a short
// form of its mark, and a short name of this machine.
func (id ID) Tag() string { return fmt.Sprintf("%d-%s-%s", id.PID, id.ShortMark(), here()) }

// ShortMark is a short form of the process's mark.
func (id ID) ShortMark() string { return brief(id.Mark) }

// RemoveLeft removes the files and folders from a folder whose names are a prefix, a tag, a hyphen and any text, and
// whose processes have ended. Files of other machines and containers stay, because their processes cannot be seen from
// here.
func RemoveLeft(folder, prefix string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if Left(e.Name(), prefix) {
			_ = os.RemoveAll(filepath.Join(folder, e.Name())) // another process may have been faster
		}
	}
}

// Left reports whether a name is a prefix, a tag, a hyphen and any text, and the process of the tag has ended.
func Left(name, prefix string) bool {
	rest, is := strings.CutPrefix(name, prefix)
	parts := strings.SplitN(rest, "-", 4)
	if !is || len(parts) < 4 || parts[2] != here() {
		return false
	}
	pid, err := strconv.Atoi(parts[0])
	if err != nil || pid <= 0 {
		return false
	}
	now := Identify(pid)
	return !now.Alive() || now.ShortMark() != parts[1]
}

// here is a short name of the processes that can be seen from here.
var here = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	return brief(host + " " + Space())
})

// brief is a short form of a text.
func brief(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}
