//go:build unix

package folder

import (
	"io/fs"
	"os"
	"syscall"
)

// trusted reports whether a file is the user's or root's.
func trusted(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(s.Uid) == os.Geteuid() || s.Uid == 0)
}

func sameOwner(a, b fs.FileInfo) bool {
	s, ok := a.Sys().(*syscall.Stat_t)
	u, too := b.Sys().(*syscall.Stat_t)
	return ok && too && s.Uid == u.Uid
}

// otherNames reports whether a file has several names.
func otherNames(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
