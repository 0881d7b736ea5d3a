package folder

import (
	"fmt"
	"os"
	"runtime"
)

// socketLimit is the longest path of a socket on any system that we run on, with the closing zero byte: 108 bytes on
// Linux (unix(7)), 104 on macOS.
const socketLimit = 104

// SocketBases are the folders in which ForSockets makes folders; the first that has room counts.
func SocketBases() []string { return []string{os.TempDir(), "/tmp"} }

// ForSockets makes a private temporary folder for sockets, whose name begins with a prefix. socket is what their
// paths add to the folder's at most. The caller removes the folder.
func ForSockets(prefix, socket string) (string, error) {
	for _, base := range SocketBases() {
		path, err := os.MkdirTemp(base, prefix)
		if err != nil {
			continue
		}
		if len(path)+len(socket) < socketLimit || runtime.GOOS == "windows" { // programs talk by other means there
			return path, nil
		}
		_ = os.Remove(path)
	}
	return "", fmt.Errorf("no room for sockets in %s or /tmp: set TMPDIR to a writable folder with a short path",
		os.TempDir())
}
