package report

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/atomic"
)

// formats lists the formats of `--out`. A new format needs a file and a line here.
var formats = []Format{
	jsonFormat{},
	textFormat{},
	csvFormat{},
	parquetFormat{},
	svgFormat{},
	pngFormat{},
	mapFormat{},
}

// Formats returns the formats that `--out` writes.
func Formats() []Format { return append([]Format(nil), formats...) }

// WriteFolder writes results in every format into a folder, which it creates if necessary. It removes files of an
// earlier run that the present run does not write. If continued is set the present run continues the earlier run, and
// these files stay. The parameter beside lists the other files of the present run in this folder, as recorded by Add.
// If ctx ends, WriteFolder returns the error of ctx, and only complete files are written.
func WriteFolder(ctx context.Context, dir string, r *result.Results, sys unit.System, continued bool,
	beside ...string) error {
	if err := os.MkdirAll(filepath.Join(dir, "maps"), 0o755); err != nil {
		return err
	}
	atomic.Sweep(dir)
	atomic.Sweep(filepath.Join(dir, "maps"))
	var errs []error
	names := slices.Clone(beside)
	for _, format := range formats {
		to := &Folder{ctx: ctx, dir: dir, extension: format.Extension()}
		if f, ok := format.(ResultsFormat); ok {
			f.Results(to, r, sys)
		}
		if f, ok := format.(HistoryFormat); ok {
			for _, c := range r.Cases {
				if c.History != nil {
					f.History(to, r, c, sys)
				}
			}
		}
		names, errs = append(names, to.names...), append(errs, to.err())
	}
	ended := ctx.Err()
	if err := replace(dir, results, names, continued || ended != nil); ended == nil { // else all files stay listed
		return errors.Join(append(errs, err)...)
	}
	return ended
}

// WriteSweepFolder writes a sweep in every format into a folder, which it creates if necessary. It removes files of
// earlier results of that sweep that the present results do not have. If ctx ends, it returns the error of ctx, and
// only complete files are written.
func WriteSweepFolder(ctx context.Context, dir string, r *sweep.Result, sys unit.System) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	var names []string
	for _, format := range formats {
		if f, ok := format.(SweepFormat); ok {
			to := &Folder{ctx: ctx, dir: dir, extension: format.Extension()}
			f.Sweep(to, r, sys)
			names, errs = append(names, to.names...), append(errs, to.err())
		}
	}
	ended := ctx.Err()
	if err := replace(dir, sweepWriter(r.Sweep.Name), names, ended != nil); ended == nil {
		return errors.Join(append(errs, err)...)
	}
	return ended
}
