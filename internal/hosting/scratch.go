package hosting

// Sockets live in a scratch folder of their own: a socket's path is limited to
// 108 bytes (104 on macOS), which a study's folder may exceed by itself, and
// sockets must go with the processes that made them.

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// scratchPrefix begins the name of every scratch folder. A plugin whose host died
// removes that folder when it is the last to leave.
const scratchPrefix = "peregrine-"

// socketName is what go-plugin adds to the scratch folder's path at most:
// a folder "plugin-dir" and a file "plugin", each with ten digits.
const socketName = "/plugin-dir0123456789/plugin0123456789"

// MakeScratch makes a private folder with a short path, named after this process, for sockets. Whoever made it
// removes it; Sweep removes that of a killed process.
func MakeScratch() (string, error) { return folder.ForSockets(processPrefix(), socketName) }

// processPrefix begins the names of the scratch folders of this process.
func processPrefix() string {
	self := process.Self()
	return fmt.Sprintf("%s%d-%s-", scratchPrefix, self.PID, self.ShortMark())
}

// KeyPrefix begins the names of files in a scratch folder that hold keys which its process was given for its plugins.
const KeyPrefix = "key-"

// Sweep removes the scratch folders whose host was killed and that no plugin was left
// to remove, and returns what it removed. A folder stays if its host lives, if one of its sockets
// still answers, or if it holds anything but sockets, the empty files in their place that a plugin makes first, and
// keys.
func Sweep() []string {
	var removed []string
	prefix := processPrefix() // made once, as there may be many folders
	for _, base := range folder.SocketBases() {
		dirs, _ := filepath.Glob(filepath.Join(base, scratchPrefix+"*"))
		for _, dir := range dirs {
			if !strings.HasPrefix(filepath.Base(dir), prefix) && discard(dir) {
				removed = append(removed, dir)
			}
		}
	}
	return removed
}

// discard removes a scratch folder that nobody uses any more, and reports whether it did.
func discard(dir string) bool { return !owned(dir) && abandoned(dir) && os.RemoveAll(dir) == nil }

// owned reports whether the process that made a scratch folder lives. The name has its number,
// and since numbers are used again the beginning of a hash of its mark.
func owned(dir string) bool {
	parts := strings.Split(strings.TrimPrefix(filepath.Base(dir), scratchPrefix), "-")
	pid, err := strconv.Atoi(parts[0])
	if err != nil {
		return true // of something else, with a name like ours
	}
	host := process.Identify(pid)
	return host.Alive() && (len(parts) < 3 || host.Mark == "" || parts[1] == host.ShortMark())
}

// placeholder begins the name of the empty file by which go-plugin takes a socket's name, just before it
// listens there. A plugin that is killed in between leaves it.
const placeholder = "plugin"

// abandoned reports whether all that a folder holds is dead sockets, places taken for some, and keys, which whoever
// was to read them has read.
func abandoned(dir string) bool {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() &&
			(strings.HasPrefix(e.Name(), KeyPrefix) || info.Size() == 0 && strings.HasPrefix(e.Name(), placeholder)) {
			return nil
		}
		if e.Type()&fs.ModeSocket == 0 {
			return fs.ErrExist
		}
		c, err := net.Dial("unix", path)
		if err == nil {
			_ = c.Close()
			return fs.ErrExist
		}
		if !process.Refused(err) {
			return err
		}
		return nil
	})
	return err == nil
}

// removeSockets removes the folder that the host made for this plugin's socket, and the
// host's scratch folder if nobody else uses it: there is no host any more to do so, and plugins
// that were killed left theirs. Folders that are not ours stay.
func removeSockets(dir string) {
	if dir == "" {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&os.ModeSocket != 0 {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir)
	if parent := filepath.Dir(dir); strings.HasPrefix(filepath.Base(parent), scratchPrefix) {
		_ = os.Remove(parent)
		discard(parent)
	}
}
