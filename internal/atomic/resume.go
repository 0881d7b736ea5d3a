package atomic

// Content that arrives in parts, for example over a network that breaks.

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Resume is Stream for content that may arrive in parts. If fill fails, the part written so far is kept under a
// temporary name, and the next Resume of this process to the same path continues it. If the disk is full, the part is
// removed. Fill gets the temporary file, and writes at its end.
func Resume(path string, fill func(part *os.File) error, options ...Option) error {
	s := settings{mode: 0o644}
	for _, o := range options {
		o(&s)
	}
	sum := sha256.Sum256([]byte(filepath.Base(path))) // the name may have the greatest length already
	part := filepath.Join(filepath.Dir(path), Prefix+process.Self().Tag()+"-"+hex.EncodeToString(sum[:8]))
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return named(path, err)
	}
	err = fill(f)
	if err == nil {
		err = named(path, f.Chmod(s.mode))
	}
	if e := f.Close(); err == nil {
		err = named(path, e)
	}
	if err == nil {
		err = named(path, os.Rename(part, path))
	}
	if fault.Is(err) { // a full disk needs the room
		_ = os.Remove(part)
	}
	return err
}
