package folder

// Folders that several users may share: whoever may write the topmost of them may write all that is in it, whatever
// the umask of each of its users says.

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Rights are those that folders and files get within a folder.
type Rights struct {
	shared bool // with others than the owner
	folder fs.FileMode
	file   fs.FileMode
}

// RightsIn derives them from a folder or, where it is not there yet, from the nearest one above it that is, unless
// that is one in which each owns what is his, such as /tmp. A folder that its owner alone can write gives the usual
// rights, less what the umask takes away.
func RightsIn(dir string) Rights {
	at := dir
	info, err := os.Stat(at)
	for err != nil && filepath.Dir(at) != at {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	if err != nil || info.Mode().Perm()&0o022 == 0 || at != dir && info.Mode()&fs.ModeSticky != 0 {
		return Rights{folder: 0o755, file: 0o644}
	}
	const kept = fs.ModePerm | fs.ModeSetgid
	return Rights{shared: true, folder: info.Mode() & kept, file: info.Mode() & 0o666}
}

// File is the mode of a file.
func (r Rights) File() fs.FileMode { return r.file }

// Make makes a folder, with those above it that are not there.
func (r Rights) Make(path string) error {
	if !r.shared {
		return os.MkdirAll(path, r.folder)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := r.Make(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, r.folder.Perm()); err != nil {
		if info, serr := os.Stat(path); serr == nil && info.IsDir() { // another process was faster
			return nil
		}
		return err
	}
	return os.Chmod(path, r.folder)
}

// Open opens a file to read and write it, and makes it where it is not there. It has the rights of the folder then,
// unless it is somebody else's, who has given it them or shares nothing.
func (r Rights) Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, r.file)
	if err != nil || !r.shared {
		return f, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().Perm() != r.file {
		_ = f.Chmod(r.file)
	}
	return f, nil
}
