package index

// The sum of the file. SQLite notices a damaged page only if it breaks a table, and else answers with wrong values. The
// process that closes the index last writes its sum beside it, and each that opens it compares.

import (
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// sumEnd is the end of the name of the file with the sum.
const sumEnd = ".sum"

// keptSum returns what the file with the sum has; empty: there is none.
func keptSum(path string) string {
	text, _ := private.ReadFile(path+sumEnd, intake.Limit{What: "the sum of an index", Bytes: 1 << 10})
	return string(text)
}

// stateOf is the size of the index and the time of its last change.
func stateOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d ", info.Size(), info.ModTime().UnixNano())
}

// sum returns the state of the index, and the sum of its content.
func sum(path string) (state, sum string, err error) {
	f, err := private.OpenFile(path)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }() // only read
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.Copy(h, f); err != nil {
		return "", "", err
	}
	info, err := f.Stat() // after the reading, so that a change meanwhile is seen
	if err != nil {
		return "", "", err
	}
	return stateOf(info), fmt.Sprintf("%08x", h.Sum32()), nil
}

// intact reports whether the index is what it was when its sum was written, or was written since by a process that
// still has it open or was killed. One that cannot be read is left to SQLite. The caller holds the lock of opening.
func intact(path string) bool {
	f, err := private.OpenFile(path)
	if err != nil {
		return true
	}
	info, err := f.Stat()
	_ = f.Close() // it was not even read: others wait to open the index
	was := keptSum(path)
	if err != nil || !strings.HasPrefix(was, stateOf(info)) {
		return err != nil || inUse(path)
	}
	state, is, err := sum(path)
	return err != nil || was == state+is || inUse(path) && !strings.HasPrefix(was, state)
}

// keepSum writes the sum of the index if that was changed, unless another process has it open. An index without its
// sum is made anew. The caller holds the lock of opening.
func keepSum(path string) {
	if info, err := os.Lstat(path); err != nil || inUse(path) || strings.HasPrefix(keptSum(path), stateOf(info)) {
		return
	}
	if state, is, err := sum(path); err == nil {
		_ = private.Write(path+sumEnd, []byte(state+is))
	}
}

// inUse reports whether a process may have the index open, or had it open when it was killed.
func inUse(path string) bool {
	_, err := os.Lstat(path + "-wal")
	return err == nil || tail.Network(filepath.Dir(path)) // which has no such file
}
