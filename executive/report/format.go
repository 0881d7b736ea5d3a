package report

// What an output format is. The formats stand in formats.go, each in a file of its name.

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/atomic"
)

// Format is a kind of file that `--out` writes. It implements at least one of
// [ResultsFormat], [HistoryFormat] and [SweepFormat]: what it does not implement it does not write.
type Format interface {
	// Extension is that of its files, without the dot, such as "csv".
	Extension() string
	// Files lists the files that it writes, for help pages.
	Files() []File
}

// File is a file that a format writes, or several.
type File struct {
	Name string // below the folder, without the extension; CASE, COMPONENT and SWEEP stand for names
	Doc  string
}

// ResultsFormat writes the results of `peregrine run`.
type ResultsFormat interface {
	Format
	Results(to *Folder, r *result.Results, sys unit.System)
}

// HistoryFormat writes the history of a case that is a transient.
type HistoryFormat interface {
	Format
	History(to *Folder, r *result.Results, c *result.Result, sys unit.System)
}

// SweepFormat writes a sweep.
type SweepFormat interface {
	Format
	Sweep(to *Folder, r *sweep.Result, sys unit.System)
}

// Folder is where a format writes its files. It collects the errors.
type Folder struct {
	dir       string
	extension string
	errs      []error
}

// Write writes one file: it is there whole or not at all. The name, which may name a folder
// below, lacks the extension.
func (f *Folder) Write(name string, fill func(w io.Writer) error) {
	path := filepath.Join(f.dir, name+"."+f.extension)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.errs = append(f.errs, err)
		return
	}
	f.errs = append(f.errs, atomic.Stream(path, fill))
}

// err joins what went wrong.
func (f *Folder) err() error { return errors.Join(f.errs...) }
