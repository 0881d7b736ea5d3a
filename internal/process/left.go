package process

// What processes leave that are killed: temporary files and folders. Their names say whose they are, so that those of
// the dead can be told from those in use.

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Tag is the part of a name that says whose a temporary file or folder is: the process's number, a short form of its
// mark, and one of this machine.
func (id ID) Tag() string { return fmt.Sprintf("%d-%s-%s", id.PID, id.ShortMark(), here()) }

// ShortMark is a short form of the process's mark.
func (id ID) ShortMark() string { return brief(id.Mark) }

// RemoveLeft removes the files and folders from a folder whose names are a prefix, a tag, a hyphen and anything, and
// whose processes have ended. Those of other machines and containers stay, as it cannot be seen from here whether
// their processes live.
func RemoveLeft(folder, prefix string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if Left(e.Name(), prefix) {
			_ = os.RemoveAll(filepath.Join(folder, e.Name())) // another process may have been faster
		}
	}
}

// Left reports whether a name is a prefix, a tag, a hyphen and anything, and the process of the tag has ended.
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
