package hosting

// Sockets are in a scratch folder of their own: a socket's path is limited to 108 bytes (104 on macOS), which a study's
// folder may exceed by itself, and sockets must be removed with their processes.

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

// scratchPrefix begins the name of every scratch folder. A plugin whose host died removes that folder when it is the
// last to leave.
const scratchPrefix = "peregrine-"

// socketName is the longest text that go-plugin adds to the scratch folder's path: a folder "plugin-dir" and a file
// "plugin", each with ten digits.
const socketName = "/plugin-dir0123456789/plugin0123456789"

// MakeScratch makes a private folder with a short path, named after this process, for sockets. The caller removes it;
// Sweep removes that of a killed process.
func MakeScratch() (string, error) { return folder.ForSockets(processPrefix(), socketName) }

// processPrefix begins the names of the scratch folders of this process.
func processPrefix() string {
	self := process.Self()
	return fmt.Sprintf("%s%d-%s-", scratchPrefix, self.PID, self.ShortMark())
}

// KeyPrefix begins the names of files in a scratch folder that hold keys for the plugins of its process.
const KeyPrefix = "key-"

// Sweep removes the scratch folders of killed hosts that no plugin was left to remove, and returns their names. A
// folder stays if its host lives, if one of its sockets still answers, or if it holds other files than sockets, the
// empty files that a plugin first makes in their place, and keys.
func Sweep() []string {
	var removed []string
	prefix := processPrefix() // made once, for many folders
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

// discard removes a scratch folder that no process uses any more, and reports whether it did.
func discard(dir string) bool { return !owned(dir) && abandoned(dir) && os.RemoveAll(dir) == nil }

// owned reports whether the process that made a scratch folder lives. The name has its number,
// and since numbers are used again the beginning of a hash of its mark.
func owned(dir string) bool {
	parts := strings.Split(strings.TrimPrefix(filepath.Base(dir), scratchPrefix), "-")
	pid, err := strconv.Atoi(parts[0])
	if err != nil {
		return true // of another program, with a name like ours
	}
	host := process.Identify(pid)
	return host.Alive() && (len(parts) < 3 || host.Mark == "" || parts[1] == host.ShortMark())
}

// placeholder begins the name of the empty file by which go-plugin reserves a socket's name, just before it listens
// there. A plugin that is killed in between leaves it.
const placeholder = "plugin"

// abandoned reports whether a folder holds only dead sockets, reserved names of sockets, and keys, whose readers have
// read them.
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

// removeSockets removes the folder that the host made for this plugin's socket, and the host's scratch folder if no
// other process uses it: the host has ended, and plugins that were killed left theirs. Foreign folders stay.
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
