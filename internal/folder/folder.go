// Package folder makes folders that nobody but their owner may look into, whatever the process's
// umask lets through.
package folder

import (
	"os"
	"path/filepath"
)

// Mode is the mode of a private folder.
const Mode os.FileMode = 0o700

// Make makes a private folder, whose parent is there. The error is that of [os.Mkdir]: it is
// [os.ErrExist] if the name is taken.
func Make(path string) error {
	if err := os.Mkdir(path, Mode); err != nil {
		return err
	}
	return os.Chmod(path, Mode) // a umask may have taken more away than others' rights
}

// MakeAll makes a private folder, with its parents if need be. One that is there already stays as it is.
func MakeAll(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := MakeAll(parent); err != nil {
			return err
		}
	}
	if err := Make(path); err != nil {
		if info, serr := os.Stat(path); serr == nil && info.IsDir() { // another process was faster
			return nil
		}
		return err
	}
	return nil
}
