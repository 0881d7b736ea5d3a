package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/filelock"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Tree is a folder in which other users may have put anything: links, pipes, files of a third user. No operation leaves
// the folder, waits for a pipe, or changes the mode of what existed before. The paths of all methods begin with the
// folder's path.
type Tree struct {
	Rights
	root *os.Root
	top  fs.FileInfo
}

// Open opens a folder that the user named: if it is a link, its target.
func Open(dir string) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	top, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Tree{rightsOf(top), root, top}, nil
}

// OpenIn opens a folder within a folder that others may write. A link is followed only if it is the user's or root's.
func OpenIn(dir string) (*Tree, error) {
	named, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	link := named.Mode()&fs.ModeSymlink != 0
	if link && !trusted(named) {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: errors.New("it is a link of another user")}
	}
	t, err := Open(dir)
	if err == nil && !link && !os.SameFile(named, t.top) {
		return nil, t.refuse("it was replaced meanwhile")
	}
	return t, err
}

// refuse closes the folder and returns an error on it.
func (t *Tree) refuse(why string) error {
	_ = t.Close() // it has no data
	return &fs.PathError{Op: "open", Path: t.root.Name(), Err: errors.New(why)}
}

// MakeIn is OpenIn for a folder that may be missing: it is made with its parents and the rights of the folder above.
func MakeIn(dir string) (*Tree, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := RightsIn(dir).Make(dir); err != nil {
			return nil, err
		}
	}
	return OpenIn(dir)
}

// Close closes the folder. Its open files stay open.
func (t *Tree) Close() error { return t.root.Close() }

// name returns a path as the root names it. The root refuses a path that is not below it.
func (t *Tree) name(path string) string {
	name, err := filepath.Rel(t.root.Name(), path)
	if err != nil {
		return path
	}
	return name
}

// whole gives an error of the root the path in place of the name, so that it says where the fault is.
func (t *Tree) whole(err error) error {
	path := func(name string) string { return filepath.Join(t.root.Name(), name) }
	switch e, ok := errors.AsType[*fs.PathError](err); {
	case ok && !filepath.IsAbs(e.Path):
		return &fs.PathError{Op: strings.TrimSuffix(e.Op, "at"), Path: path(e.Path), Err: e.Err}
	case ok:
		return err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok && !filepath.IsAbs(e.Old) {
		return &os.LinkError{Op: strings.TrimSuffix(e.Op, "at"), Old: path(e.Old), New: path(e.New), Err: e.Err}
	}
	return err
}

// Open opens a regular file for reading.
func (t *Tree) Open(path string) (*os.File, error) { return t.open(path, os.O_RDONLY) }

// open opens a regular file, whose owner must be the user, root, or the folder's owner unless the folder is shared.
// What is opened for writing must have no other name, which could be that of a file elsewhere.
func (t *Tree) open(path string, flag int) (*os.File, error) {
	f, err := intake.In(t.root, t.name(path), flag)
	if err != nil {
		return nil, t.whole(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = suspect(path, info, t.top)
	}
	if err == nil && flag != os.O_RDONLY {
		err = shared(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Editable returns an error if Edit would refuse a file. It opens none.
func (t *Tree) Editable(path string) error {
	info, err := t.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = intake.Regular(path, info)
	}
	if err == nil {
		err = suspect(path, info, t.top)
	}
	if err == nil {
		err = shared(path, info)
	}
	return err
}

// shared returns an error if a file has another name, which may be that of a file elsewhere.
func shared(path string, info fs.FileInfo) error {
	if !otherNames(info) {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: errors.New("it has another name (a hard link): copy it, and " +
		"give the copy its name")}
}

// suspect returns an error if a file may hold what another user wrote who may not write its folder.
func suspect(path string, info, folder fs.FileInfo) error {
	var why string
	switch {
	case !rightsOf(folder).shared && !trusted(info) && !sameOwner(info, folder):
		why = "it is a file of another user"
	case info.Mode().Perm()&0o002 != 0 && folder.Mode().Perm()&0o002 == 0:
		why = "everybody can write it: chmod o-w"
	default:
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: errors.New(why)}
}

// Read returns the content of a regular file, as [intake.Read] does.
func (t *Tree) Read(path string, limit intake.Limit) ([]byte, error) {
	f, err := t.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return intake.File(f, limit)
}

// Edit opens a regular file for reading and writing, with a further flag such as [os.O_APPEND] or 0. It makes a missing
// file, with the rights of the folder.
func (t *Tree) Edit(path string, flag int) (*os.File, error) {
	for {
		f, err := t.open(path, os.O_RDWR|flag)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = t.root.OpenFile(t.name(path), os.O_RDWR|os.O_CREATE|os.O_EXCL|flag, t.file)
		if errors.Is(err, fs.ErrExist) { // another process was faster
			continue
		}
		if err == nil && t.shared {
			err = f.Chmod(t.file) // a umask may have taken rights away
		}
		return f, t.whole(err)
	}
}

// Lock makes a file, and locks it; nil: another holder has the lock. A holder may remove the file before it gives the
// lock back, so a lock counts only if the file still has its name.
func (t *Tree) Lock(path string) (*os.File, error) {
	f, err := t.Edit(path, 0)
	if err != nil {
		return nil, err
	}
	free, err := filelock.Try(f)
	if err == nil && free {
		mine, merr := f.Stat()
		if named, nerr := t.root.Lstat(t.name(path)); nerr == nil && merr == nil && os.SameFile(mine, named) {
			return f, nil
		}
		err = merr
	}
	return nil, errors.Join(err, f.Close())
}

// Write makes a file hold data, in one step.
func (t *Tree) Write(path string, data []byte, options ...atomic.Option) error {
	return atomic.WriteFile(path, data, append(options, atomic.In(t.root), atomic.Mode(t.file))...)
}

// Make creates a folder with its missing parents.
func (t *Tree) Make(path string) error {
	name := t.name(path)
	if info, err := t.root.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	if name != "." && filepath.Dir(name) != name {
		if err := t.Make(filepath.Dir(path)); err != nil {
			return err
		}
	}
	err := t.root.Mkdir(name, t.folder.Perm())
	if errors.Is(err, fs.ErrExist) {
		if info, serr := t.root.Stat(name); serr == nil && info.IsDir() { // another process was faster
			return nil
		}
		return &fs.PathError{Op: "mkdir", Path: path, Err: errors.New("the name is that of a file, or of a link")}
	}
	if err == nil && t.shared {
		err = t.root.Chmod(name, t.folder)
	}
	return t.whole(err)
}

// Stat describes the file, folder or link of a name.
func (t *Tree) Stat(path string) (fs.FileInfo, error) {
	info, err := t.root.Lstat(t.name(path))
	return info, t.whole(err)
}

// Remove removes a file, a link or an empty folder.
func (t *Tree) Remove(path string) error { return t.whole(t.root.Remove(t.name(path))) }

// RemoveAll removes a file, a link, or a folder with its content.
func (t *Tree) RemoveAll(path string) error { return t.whole(t.root.RemoveAll(t.name(path))) }

// Rename gives a file, or a link itself, another name.
func (t *Tree) Rename(from, to string) error {
	return t.whole(t.root.Rename(t.name(from), t.name(to)))
}

// Touch sets the times of a file.
func (t *Tree) Touch(path string, now time.Time) error {
	return t.whole(t.root.Chtimes(t.name(path), now, now))
}

// ReadDir lists a folder, sorted by name.
func (t *Tree) ReadDir(path string) ([]fs.DirEntry, error) {
	f, err := t.root.OpenFile(t.name(path), os.O_RDONLY|intake.WithoutWaiting, 0)
	if err != nil {
		return nil, t.whole(err)
	}
	defer func() { _ = f.Close() }() // only read
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Sweep removes temporary files of ended processes from a folder.
func (t *Tree) Sweep(path string) {
	entries, _ := t.ReadDir(path)
	for _, e := range entries {
		if atomic.Abandoned(e.Name()) {
			_ = t.Remove(filepath.Join(path, e.Name())) // another process may have been faster
		}
	}
}
