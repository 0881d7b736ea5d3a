package cache

// Who may use what is in a cache: whoever may use its folder. One whose folder a group can write is shared by that group,
// whatever the umask of each of its members says.

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// rights are those that folders and files of a cache get.
type rights struct {
	shared bool // with others than the owner
	folder fs.FileMode
	file   fs.FileMode
}

// private are the rights of a cache whose folder its owner alone can write; the umask may take more away.
var private = rights{folder: 0o755, file: 0o644}

// rightsOf derives them from a cache's folder.
func rightsOf(dir string) rights {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o022 == 0 {
		return private
	}
	const kept = fs.ModePerm | fs.ModeSetgid
	return rights{shared: true, folder: info.Mode() & kept, file: info.Mode() & 0o666}
}

// makeFolder makes a folder of the cache, with those above it.
func (c *Cache) makeFolder(path string) error {
	if err := c.rights.makeFolder(c.dir, path); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

func (r rights) makeFolder(top, path string) error {
	if !r.shared {
		return os.MkdirAll(path, r.folder)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if path != top && filepath.Dir(path) != path {
		if err := r.makeFolder(top, filepath.Dir(path)); err != nil {
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

// giveFile gives a file that was just opened the rights of the cache, if it lacks them and is the user's own.
func (r rights) giveFile(f *os.File) {
	if !r.shared {
		return
	}
	if info, err := f.Stat(); err == nil && info.Mode().Perm() != r.file {
		_ = f.Chmod(r.file) // somebody else's: it has them, or he could not have shared the cache
	}
}
