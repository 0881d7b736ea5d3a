package tail

// The file system as a tail sees it. The caller provides it, so that tests can have a file system with stale sizes.

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Info describes a file without reading it.
type Info struct {
	Inode    uint64 // 0: unknown
	Size     int64
	Modified time.Time
	file     fs.FileInfo // of the real file system: compares files where inodes are unknown
}

// same reports whether both are the same file.
func (i Info) same(j Info) bool {
	if i.file != nil && j.file != nil {
		return os.SameFile(i.file, j.file)
	}
	return i.Inode == j.Inode
}

// Handle is an open file.
type Handle interface {
	io.ReaderAt
	io.Closer
	Info() (Info, error)
}

// System is a file system.
type System interface {
	// Open opens a regular file.
	Open(path string) (Handle, error)
	// Info describes a regular file.
	Info(path string) (Info, error)
	// List returns the names in a folder.
	List(folder string) ([]string, error)
	// Network reports whether other machines may write to the file. If so, their data are visible only in a file that
	// has just been opened, and not always completely.
	Network(path string) bool
}

// disk is the real file system.
type disk struct{}

type diskFile struct{ *os.File }

func (disk) Open(path string) (Handle, error) {
	f, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (disk) Info(path string) (Info, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Info{}, err
	}
	if !info.Mode().IsRegular() {
		return Info{}, intake.Look(path)
	}
	return described(info), nil
}

func (disk) List(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (disk) Network(path string) bool { return network(filepath.Dir(path)) }

func (f diskFile) Info() (Info, error) {
	info, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	return described(info), nil
}

func described(info fs.FileInfo) Info {
	return Info{Inode: inode(info), Size: info.Size(), Modified: info.ModTime(), file: info}
}
