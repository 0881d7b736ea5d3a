// Package folder creates folders: private ones, which only their owner can read, and shared ones, in which all users
// may write. The umask does not change either.
package folder

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// Mode is the mode of a private folder.
const Mode os.FileMode = 0o700

// Make creates a private folder in an existing one. The error is that of [os.Mkdir]: [os.ErrExist] if the name is
// taken.
func Make(path string) error {
	if err := os.Mkdir(path, Mode); err != nil {
		return err
	}
	return os.Chmod(path, Mode) // a umask may have taken more away than others' rights
}

// Temporary creates a private folder in the system's temporary folder, or in /tmp if TMPDIR does not exist. It removes
// folders of the same prefix that killed processes left there.
func Temporary(prefix string) (string, error) {
	for _, base := range []string{os.TempDir(), "/tmp"} {
		process.RemoveLeft(base, prefix+"-")
	}
	name := prefix + "-" + process.Self().Tag() + "-*"
	path, err := os.MkdirTemp("", name)
	if err == nil {
		return path, nil
	}
	if path, other := os.MkdirTemp("/tmp", name); other == nil {
		return path, nil
	}
	return "", fmt.Errorf("no temporary folder: %w; set TMPDIR to a folder that can be written", err)
}

// MakeAll creates a private folder with its parents. An existing folder is not changed.
func MakeAll(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := MakeAll(parent); err != nil {
			return err
		}
	}
	if err := Make(path); err != nil {
		if info, serr := os.Stat(path); serr == nil && info.IsDir() { // another process was faster
			return nil
		}
		return err
	}
	return nil
}

// Content returns the number of regular files below a folder, and the sum of their sizes in bytes. Files that are
// removed meanwhile do not count.
func Content(path string) (files int, bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files++
			bytes += info.Size()
		}
		return nil
	})
	return files, bytes
}

// socketLimit is the longest path of a socket on any system that we run on, with the closing zero byte: 108 bytes on
// Linux (unix(7)), 104 on macOS.
const socketLimit = 104

// SocketBases returns the folders in which ForSockets creates folders. The first with a short enough path is used.
func SocketBases() []string { return []string{os.TempDir(), "/tmp"} }

// ForSockets creates a private temporary folder for sockets, whose name begins with prefix. socket is the longest path
// of a socket below it. The caller removes the folder.
func ForSockets(prefix, socket string) (string, error) {
	for _, base := range SocketBases() {
		path, err := os.MkdirTemp(base, prefix)
		if err != nil {
			continue
		}
		if len(path)+len(socket) < socketLimit || runtime.GOOS == "windows" { // on Windows programs use pipes
			return path, nil
		}
		_ = os.Remove(path)
	}
	return "", fmt.Errorf("no room for sockets in %s or /tmp: set TMPDIR to a writable folder with a short path",
		os.TempDir())
}
