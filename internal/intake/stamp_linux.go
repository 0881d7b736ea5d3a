package intake

import (
	"fmt"
	"io/fs"
	"syscall"
)

// Stamp returns the inode, size and times of a file as a text: while it is the same, so is the file's content.
func Stamp(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	return fmt.Sprint(s.Dev, s.Ino, info.Size(), info.ModTime().UnixNano(), s.Ctim.Nano())
}
