// Package report writes results, histories and sweeps: tables for people, JSON, CSV,
// Parquet, SVG, PNG and maps.
//
// A new file format is a type that implements [Format], in a file of its name, and a line in
// formats.go. Then `--out` writes it, and the help page of outputs lists its files.
package report

// The interfaces of an output format. formats.go lists the formats; each has a file of its name.

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/atomic"
)

// Format is a file format of `--out`. It implements at least one of [ResultsFormat], [HistoryFormat] and [SweepFormat];
// each is for one kind of content.
type Format interface {
	// Extension is the extension of its files, without the dot, such as "csv".
	Extension() string
	// Files lists the files that the format writes, for help pages.
	Files() []File
}

// File describes a file that a format writes, or several of a kind.
type File struct {
	Name string // below the folder, without the extension; CASE, COMPONENT and SWEEP are placeholders for names
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

// Folder is the output folder of a format. It collects the errors.
type Folder struct {
	ctx       context.Context // whose end is the end of writing
	dir       string
	extension string
	names     []string // of the files written, relative to the folder
	errs      []error
}

// Write writes one file, completely or not at all. The name has no extension; it may contain a subfolder.
func (f *Folder) Write(name string, fill func(w io.Writer) error) {
	if f.ctx.Err() != nil {
		return
	}
	path := filepath.Join(f.dir, name+"."+f.extension)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.errs = append(f.errs, err)
		return
	}
	f.names = append(f.names, filepath.ToSlash(name+"."+f.extension))
	f.errs = append(f.errs, atomic.Stream(path, func(w io.Writer) error { return fill(interruptible{f.ctx, w}) }))
}

// err joins the errors.
func (f *Folder) err() error { return errors.Join(f.errs...) }

// interruptible is a writer that fails when a context has ended.
type interruptible struct {
	ctx context.Context
	io.Writer
}

func (w interruptible) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
