package perfmap

import (
	"os"
	"path/filepath"
)

// temporaryPrefix begins the names of files that are being written.
const temporaryPrefix = ".tmp-"

// writeFile makes path hold data, whole or not at all, whatever happens when.
func writeFile(path string, data []byte, mode os.FileMode) error {
	return writeFileVia(filepath.Dir(path), path, data, mode)
}

// writeFileVia is [writeFile] with the folder for the temporary file, which
// must be on the same file system: write there, flush to the disk, rename over
// path, flush the folder.
func writeFileVia(tmp, path string, data []byte, mode os.FileMode) (err error) {
	f, err := os.CreateTemp(tmp, temporaryPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
