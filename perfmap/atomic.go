package perfmap

import (
	"os"
	"path/filepath"
)

// temporaryPrefix begins the names of files that are being written.
const temporaryPrefix = ".tmp-"

// writeFile makes path hold data, whole or not at all, whatever happens when:
// it writes a temporary file in the same folder, flushes it to the disk,
// renames it over path, and flushes the folder.
func writeFile(path string, data []byte, mode os.FileMode) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, temporaryPrefix+"*")
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
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
