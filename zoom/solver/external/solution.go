package external

// Solutions: the files of a good run from which others can start. The files that the description keeps become one
// archive, whose bytes depend on their content alone.

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// solutionFile is the archive in the run folder.
const solutionFile = "solution.tar"

// kept is a file or folder of a solution.
type kept struct {
	pattern string
	as      string // its name in a run that starts from it; empty: unchanged
}

var solutionLimit = intake.Limit{What: "a solution", Bytes: 4 << 30}

// keep writes the archive.
func (f *runFolder) keep(list []kept) error {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, k := range list {
		found, _ := filepath.Glob(filepath.Join(escaped(f.path), k.pattern))
		if len(found) == 0 {
			return fmt.Errorf("it left no %s, from which other runs were to start", k.pattern)
		}
		slices.SortStableFunc(found, func(a, b string) int { return compareNumbers(b, a) })
		name, err := filepath.Rel(f.path, found[0])
		if err != nil {
			return err
		}
		to := name
		if k.as != "" {
			to = k.as
		}
		if err := f.pack(w, name, to); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.root.WriteFile(solutionFile, archive.Bytes(), 0o644)
}

// pack adds a file, or all files of a folder.
func (f *runFolder) pack(w *tar.Writer, name, to string) error {
	return filepath.WalkDir(f.join(name), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		rest, err := filepath.Rel(f.join(name), path)
		if err != nil {
			return err
		}
		data, err := intake.Read(path, mostCopied)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(filepath.Join(to, rest)), Mode: 0o644,
			Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
}

// unpack makes the files of an archive.
func (f *runFolder) unpack(path string) error {
	if !filepath.IsAbs(path) {
		path = f.join(path)
	}
	data, err := intake.Read(path, solutionLimit)
	if err != nil {
		return err
	}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s is no solution: %w", path, err)
		}
		if fault := pathFault(h.Name); fault != "" || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is no solution: it has %q", path, h.Name)
		}
		content, err := intake.All(r, mostCopied)
		if err != nil {
			return err
		}
		if err := f.write(h.Name, content, 0o644); err != nil {
			return err
		}
	}
}
