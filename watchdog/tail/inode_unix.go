//go:build unix

package tail

import (
	"io/fs"
	"syscall"
)

// inode identifies a file within its folder's file system.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
