//go:build !linux

package process

import (
	"errors"
	"io/fs"
)

// Children is not known on this system.
func Children(int) bool { return false }

// Used is not known on this system.
func Used(int) Usage { return Usage{} }

// Written is not known on this system.
func Written() map[File][]ID { return nil }

// EndWriter is not known on this system.
func EndWriter(ID) error { return errors.ErrUnsupported }

// FileOf is not known on this system.
func FileOf(fs.FileInfo) File { return File{} }
