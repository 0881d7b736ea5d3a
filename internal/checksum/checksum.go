// Package checksum says what files hold in a few characters.
package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Of returns the SHA-256, in hexadecimal digits, of a file, or of a folder: of the names and the hashes of all files in it, in
// the order of the names. A pipe or a device is an error, as of [intake.Open].
func Of(path string) (string, error) {
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
		_, _ = fmt.Fprintf(h, "%s %s\n", rest, sum)
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
