package folder

// Folders that several users share: a user who may write the topmost folder may write all of its content, whatever the
// umask of each user.

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Rights are the permissions of new folders and files within a folder.
type Rights struct {
	shared bool // with others than the owner
	folder fs.FileMode
	file   fs.FileMode
}

// RightsIn derives the rights from a folder or, if it does not exist, from the nearest existing folder above it. A
// sticky folder such as /tmp, in which each user owns his files, does not count. A folder that only its owner can write
// gives the usual rights, less the umask.
func RightsIn(dir string) Rights {
	at := dir
	info, err := os.Stat(at)
	for err != nil && filepath.Dir(at) != at {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	if err != nil || at != dir && info.Mode()&fs.ModeSticky != 0 {
		return private
	}
	return rightsOf(info)
}

var private = Rights{folder: 0o755, file: 0o644}

func rightsOf(info fs.FileInfo) Rights {
	if info.Mode().Perm()&0o022 == 0 {
		return private
	}
	const kept = fs.ModePerm | fs.ModeSetgid
	return Rights{shared: true, folder: info.Mode() & kept, file: info.Mode() & 0o666}
}

// Make creates a folder with its missing parents.
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
