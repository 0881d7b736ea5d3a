package report

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// formats lists the formats that `--out` writes. For a new one add a file, and a line here.
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

// WriteFolder writes results in every format into a folder, which it makes if necessary.
func WriteFolder(dir string, r *result.Results, sys unit.System) error {
	if err := os.MkdirAll(filepath.Join(dir, "maps"), 0o755); err != nil {
		return err
	}
	var errs []error
	for _, format := range formats {
		to := &Folder{dir: dir, extension: format.Extension()}
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
		errs = append(errs, to.err())
	}
	return errors.Join(errs...)
}

// WriteSweepFolder writes a sweep in every format into a folder, which it makes if necessary.
func WriteSweepFolder(dir string, r *sweep.Result, sys unit.System) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for _, format := range formats {
		if f, ok := format.(SweepFormat); ok {
			to := &Folder{dir: dir, extension: format.Extension()}
			f.Sweep(to, r, sys)
			errs = append(errs, to.err())
		}
	}
	return errors.Join(errs...)
}
