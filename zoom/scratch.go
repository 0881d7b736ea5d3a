package zoom

// Sockets live in a scratch folder of their own: a socket's path is limited to
// 108 bytes (104 on macOS), which a study's folder may exceed by itself, and
// sockets must go with the processes that made them.

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// pathLimit is the longest path of a socket on any system that we run on, with
// the closing zero byte.
const pathLimit = 104

// socketName is what go-plugin adds to the scratch folder's path at most:
// a folder "plugin-dir" and a file "plugin", each with ten digits.
const socketName = "/plugin-dir0123456789/plugin0123456789"

// makeScratch makes a private folder with a short path.
func makeScratch() (string, error) {
	for _, base := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(base, plugin.ScratchPrefix)
		if err != nil {
			continue
		}
		if len(dir)+len(socketName) < pathLimit {
			return dir, nil
		}
		_ = os.Remove(dir)
	}
	return "", fmt.Errorf("no room for sockets in %s or /tmp: set TMPDIR to a writable folder with a short path", os.TempDir())
}

// SweepScratch removes the scratch folders that hosts and plugins left when both
// were killed, and returns what it removed. A folder with a socket that still
// answers, or one that is not ours, stays; so does an empty one, which a
// host may have just made.
func SweepScratch() []string {
	var removed []string
	for _, base := range []string{os.TempDir(), "/tmp"} {
		dirs, _ := filepath.Glob(filepath.Join(base, plugin.ScratchPrefix+"*"))
		for _, dir := range dirs {
			if abandoned(dir) && os.RemoveAll(dir) == nil {
				removed = append(removed, dir)
			}
		}
	}
	return removed
}

// abandoned reports whether a folder holds sockets, all of them dead, and
// nothing else.
func abandoned(dir string) bool {
	dead := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if e.Type()&fs.ModeSocket == 0 {
			return fs.ErrExist
		}
		c, err := net.Dial("unix", path)
		if err == nil {
			_ = c.Close()
			return fs.ErrExist
		}
		if !strings.Contains(err.Error(), "refused") {
			return fs.ErrExist
		}
		dead++
		return nil
	})
	return err == nil && dead > 0
}
