package atomic

// Temporary files of processes that were killed. The name of a file says who writes it, so that the files of those who
// are gone can be told from those that are being written.

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// Sweep removes the temporary files from a folder whose writers have ended. Files of other machines and containers stay,
// as it cannot be seen from here whether their writers live.
func Sweep(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, Prefix+"*")) // the pattern is right
	for _, file := range left {
		if Abandoned(filepath.Base(file)) {
			_ = os.Remove(file) // another process may have been faster
		}
	}
}

// Abandoned reports whether a file of that name is a temporary one of a process of this machine that has ended.
func Abandoned(name string) bool {
	rest, is := strings.CutPrefix(name, Prefix)
	number, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	if !is || err != nil || !strings.HasSuffix(strings.TrimSuffix(rest, lastOf(rest)), "-"+here()+"-") {
		return false
	}
	writer := process.Identify(pid)
	return !writer.Alive() || !strings.HasPrefix(name, nameOf(writer))
}

// lastOf is the part of a name behind its last hyphen, which is random.
func lastOf(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }

// nameOf is the beginning of the names of a process's temporary files: Prefix, its number, its mark and this machine.
func nameOf(id process.ID) string {
	return fmt.Sprintf("%s%d-%s-%s-", Prefix, id.PID, brief(id.Mark), here())
}

// here is a short name of the processes that can be seen from here.
var here = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	return brief(host + " " + process.Space())
})

// brief is a short name of a text.
func brief(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}
