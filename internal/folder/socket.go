package folder

import (
	"fmt"
	"os"
	"runtime"
)

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
