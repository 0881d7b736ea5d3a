package folder

// The files of studies and runs. Their folders are the user's own: a file is written only in such a folder, and neither
// written nor read through a link at its name. Whoever opens one of many files of a folder opens a Tree.

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// OpenOwn opens a folder of the user's own, or of root's. It follows no link in the last place of the path.
func OpenOwn(dir string) (*Tree, error) {
	named, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !named.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: errors.New("it is not a folder, or a link to a folder")}
	}
	t, err := Open(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case !os.SameFile(named, t.top):
		return nil, t.refuse("it was replaced meanwhile")
	case !trusted(t.top) && !t.made():
		return nil, t.refuse("it is a folder of another user")
	}
	return t, nil
}

// MakeOwn makes a folder of the user's own with its parents, or checks that an existing one is.
func MakeOwn(dir string) error {
	if err := MakeAll(dir); err != nil {
		return err
	}
	t, err := OpenOwn(dir)
	if err != nil {
		return err
	}
	return t.Close()
}

// made reports whether the folder has the owner of what the user makes in it. A network file system may call the user
// by another name than this machine.
func (t *Tree) made() bool {
	name := atomic.Prefix + process.Self().Tag() + "-" + rand.Text()
	f, err := t.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	defer func() { _ = errors.Join(f.Close(), t.root.Remove(name)) }() // it is empty
	info, err := f.Stat()
	return err == nil && sameOwner(info, t.top)
}

// folderOf opens the folder of a file with OpenOwn. If there is none, the error names the file.
func folderOf(path string) (*Tree, error) {
	t, err := OpenOwn(filepath.Dir(path))
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Op == "lstat" {
		err = &fs.PathError{Op: "open", Path: path, Err: pe.Err}
	}
	return t, err
}

// Edit opens a file in a folder of the user's own as [Tree.Edit] does.
func Edit(path string, flag int) (*os.File, error) {
	t, err := folderOf(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }() // the file stays open
	return t.Edit(path, flag)
}

// Write makes a file in a folder of the user's own hold data, as [Tree.Write] does.
func Write(path string, data []byte, options ...atomic.Option) error {
	t, err := folderOf(path)
	if err != nil {
		return err
	}
	return errors.Join(t.Write(path, data, options...), t.Close())
}

// Create is Edit of a file that is to be empty.
func Create(path string) (*os.File, error) {
	f, err := Edit(path, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		err = f.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenFile opens a regular file for reading, which must be the user's, root's, or of the owner of its folder.
func OpenFile(path string) (*os.File, error) {
	f, err := intake.OpenNamed(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!trusted(info) || info.Mode().Perm()&0o002 != 0) { // seldom
		var dir fs.FileInfo
		if dir, err = os.Stat(filepath.Dir(path)); err == nil {
			err = suspect(path, info, dir)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadFile returns the content of a file that OpenFile opens, as [intake.Read] does.
func ReadFile(path string, limit intake.Limit) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return intake.File(f, limit)
}
