package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Source is where an index comes from.
type Source struct {
	Work      string // folder
	Launchers launch.Registry
	Clock     clock.Clock
	Warn      func(string)         // is given why the file is not used
	Known     []plugin.Description // of solvers: their values have dimensions, and are known before a run has them
}

// Index is an index of the runs below a work folder, as of its opening. Close it in the end.
type Index struct {
	Source
	db     *sql.DB
	memory bool // it is in no file
	forgot bool // runs were removed from it
	fields *Fields
}

// Open opens the index of a work folder and brings it up to date. If the file cannot be used, it warns and keeps the
// index in memory. It fails if the work folder cannot be read or ctx ends. If that folder does not exist, the index is
// empty.
func Open(ctx context.Context, from Source) (*Index, error) {
	x := &Index{Source: from}
	if _, err := os.Stat(x.Work); errors.Is(err, fs.ErrNotExist) {
		return x, x.inMemory(ctx)
	} else if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	err := x.inFile(ctx)
	if err != nil && damaged(err) {
		x.close()
		if err = remove(ctx, x.Work); err == nil {
			err = x.inFile(ctx)
		}
	}
	switch {
	case err == nil:
		return x, nil
	case ctx.Err() != nil:
		x.close()
		return nil, ctx.Err()
	case isFolderError(err):
		x.close()
		return nil, err
	}
	return x, x.bypass(ctx, err)
}

// bypass warns, and continues in memory.
func (x *Index) bypass(ctx context.Context, why error) error {
	x.close()
	x.Warn(fmt.Sprintf("the index %s cannot be used, so that all run folders are read: %v", FileName, why))
	return x.inMemory(ctx)
}

func (x *Index) inFile(ctx context.Context) error {
	db, err := openFile(ctx, x.Work)
	if err != nil {
		return err
	}
	x.db = db
	return x.update(ctx)
}

func (x *Index) inMemory(ctx context.Context) error {
	db, err := connect(ctx, ":memory:")
	if err != nil {
		return fmt.Errorf("index of runs: %w", err)
	}
	x.db, x.memory = db, true
	if err := x.update(ctx); err != nil {
		x.close()
		return err
	}
	return nil
}

// update brings the index up to date, and reads the list of fields.
func (x *Index) update(ctx context.Context) error {
	if err := x.sync(ctx); err != nil {
		return err
	}
	left, err := x.missing(ctx)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		x.Warn(
			fmt.Sprintf("runs have more than %d different inputs and outputs; lists and conditions know nothing of %s",
				mostValues, spell.List(left[:min(3, len(left))], "and")+others(len(left)-3)))
	}
	fields, err := readFields(ctx, x.db, x.Known)
	x.fields = fields
	return err
}

func others(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", and %d others", n)
}

func (x *Index) close() {
	if x.db == nil {
		return
	}
	var lock *os.File
	if !x.memory {
		lock, _ = lockOpening(context.Background(), x.Work)
	}
	_ = x.db.Close() // its content is in the folders
	x.db = nil
	if lock != nil {
		keepSum(filepath.Join(x.Work, FileName))
		_ = lock.Close()
	}
}

// Close closes the index.
func (x *Index) Close() { x.close() }

// Fields returns the fields of the runs.
func (x *Index) Fields() *Fields { return x.fields }

// folderError reports a folder of runs that cannot be read; the index itself is not the cause.
type folderError struct{ err error }

func (e *folderError) Error() string { return fmt.Sprintf("runs: %v", e.err) }
func (e *folderError) Unwrap() error { return e.err }

func isFolderError(err error) bool { return errors.As(err, new(*folderError)) }

// missing returns the inputs and outputs that the index had no room for.
func (x *Index) missing(ctx context.Context) ([]string, error) {
	return x.names(ctx, "SELECT name FROM missing ORDER BY name")
}

func (x *Index) names(ctx context.Context, text string, arguments ...any) (list []string, err error) {
	err = each(ctx, x.db, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		list = append(list, name)
		return err
	}, text, arguments...)
	return list, err
}
