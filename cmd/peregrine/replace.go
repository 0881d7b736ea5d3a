package main

import (
	"errors"
	"os"
	"path/filepath"
)

// replaceFile makes path hold data, whole or not at all: what is there stays
// until the new content is complete.
func replaceFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return badInput(plainPath(path, err))
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = badInput(plainPath(path, err))
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// plainPath names the file that was asked for instead of the temporary one.
func plainPath(path string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return &os.PathError{Op: "write", Path: path, Err: pe.Err}
	}
	return err
}
