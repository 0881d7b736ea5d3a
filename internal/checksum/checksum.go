// Package checksum computes short hashes of file contents.
package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Of returns the SHA-256, in hexadecimal digits, of a file as sha256sum prints it, or of a folder: of the lines
// "name" hash of all files in it, names as Go quotes them, in the order of the names. A pipe or a device is an error,
// as of [intake.Open].
func Of(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return ofFile(path)
	}
	h := sha256.New()
	err := filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rest, err := filepath.Rel(path, at)
		if err != nil {
			return err
		}
		sum, err := ofFile(at)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(h, "%q %s\n", rest, sum)
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

func ofFile(path string) (string, error) {
	f, err := intake.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	content := sha256.New()
	if _, err := io.Copy(content, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(content.Sum(nil)), nil
}
