package index

// Bringing the index up to date with the folders.

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// batch is the number of runs that are read, and then written in one transaction.
const batch = 500

// sync brings the index up to date.
func (x *Index) sync(ctx context.Context) error {
	entries, err := os.ReadDir(x.Work)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &folderError{err}
	}
	listed, err := x.listed(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info := folderOf(filepath.Join(x.Work, e.Name()), e)
		if info == nil || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		at, known := listed[e.Name()]
		delete(listed, e.Name())
		if known && at == info.ModTime().UnixNano() {
			err = x.syncUnsettled(ctx, e.Name())
		} else {
			err = x.syncStudy(ctx, e.Name())
		}
		if isFolderError(err) && errors.Is(err, fs.ErrPermission) { // of another user
			x.Warn(fmt.Sprintf("the runs of study %s are not listed: %v", e.Name(), errors.Unwrap(err)))
			continue
		}
		if err == nil {
			err = x.syncMarks(ctx, e.Name())
		}
		if err != nil {
			return err
		}
	}
	for gone := range listed {
		if err := x.forget(ctx, gone, nil); err != nil {
			return err
		}
	}
	if x.forgot {
		return x.prune(ctx)
	}
	return nil
}

// prune removes the names of columns in which no run has a value any more.
func (x *Index) prune(ctx context.Context) error {
	x.forgot = false
	freed := int64(0)
	err := transact(ctx, x.db, func(tx *sql.Conn) error {
		w := writer{ctx: ctx, tx: tx}
		if err := w.readNames(); err != nil {
			return err
		}
		for _, c := range w.names {
			done, err := tx.ExecContext(ctx,
				fmt.Sprintf("UPDATE name SET role = col, name = '', solvers = '' WHERE col = %[1]d AND NOT EXISTS "+
					"(SELECT 1 FROM value WHERE c%[1]d IS NOT NULL)", c.col))
			if err != nil {
				return err
			}
			n, _ := done.RowsAffected()
			freed += n
		}
		if err := w.readNames(); err != nil || freed == 0 {
			return err
		}
		return w.view()
	})
	if err != nil {
		return err
	}
	var left bool
	err = x.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM missing)").Scan(&left)
	if err == nil && freed > 0 && left {
		err = errRoom
	}
	return err
}

// folderOf returns information on a folder, or on the folder to which a link leads; nil: it is neither.
func folderOf(path string, e fs.DirEntry) fs.FileInfo {
	if !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() { // removed meanwhile, or a broken link
		return nil
	}
	return info
}

// listed returns the modification time of each study's folder at its last listing.
func (x *Index) listed(ctx context.Context) (map[string]int64, error) {
	at := map[string]int64{}
	return at, each(ctx, x.db, func(rows *sql.Rows) error {
		var name string
		var t int64
		err := rows.Scan(&name, &t)
		at[name] = t
		return err
	}, "SELECT name, at FROM study")
}

// indexed are the runs of a study in the index, by name.
type indexed map[string]state

type state struct {
	at      int64
	settled bool
}

func (x *Index) indexed(ctx context.Context, study, which string) (indexed, error) {
	all := indexed{}
	return all, each(ctx, x.db, func(rows *sql.Rows) error {
		var name string
		var s state
		err := rows.Scan(&name, &s.at, &s.settled)
		all[name] = s
		return err
	}, "SELECT run, at, settled FROM run WHERE study = ?"+which, study)
}

// syncUnsettled reads the unsettled runs of a study whose folder has not changed.
func (x *Index) syncUnsettled(ctx context.Context, study string) error {
	runs, err := x.indexed(ctx, study, " AND NOT settled")
	if err != nil || len(runs) == 0 {
		return err
	}
	names := make([]string, 0, len(runs))
	for name := range runs {
		names = append(names, name)
	}
	return x.readAll(ctx, study, names)
}

// syncStudy lists a study's folder and reads the runs that are new or have changed.
func (x *Index) syncStudy(ctx context.Context, study string) error {
	folder := filepath.Join(x.Work, study)
	info, err := os.Stat(folder) // before it is listed
	if errors.Is(err, fs.ErrNotExist) {
		return x.forget(ctx, study, nil)
	}
	if err != nil {
		return &folderError{err}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return &folderError{err}
	}
	old, err := x.indexed(ctx, study, "")
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		info := folderOf(filepath.Join(folder, e.Name()), e)
		if info == nil {
			continue
		}
		s, known := old[e.Name()]
		delete(old, e.Name())
		if known && s.settled && info.ModTime().UnixNano() == s.at {
			continue
		}
		names = append(names, e.Name())
	}
	if err := x.readAll(ctx, study, names); err != nil {
		return err
	}
	if err := x.forget(ctx, study, old); err != nil {
		return err
	}
	at := info.ModTime().UnixNano()
	if at > x.Clock.Now().Add(-rest).UnixNano() {
		at = 0 // it may change again with the same time
	}
	_, err = x.db.ExecContext(ctx, "INSERT OR REPLACE INTO study (name, at) VALUES (?, ?)", study, at)
	return err
}

// syncMarks reads the notes on a study and its runs, if their file has grown.
func (x *Index) syncMarks(ctx context.Context, study string) error {
	size, known := int64(0), int64(0)
	if info, err := os.Stat(filepath.Join(x.Work, study, studylog.NotesName)); err == nil {
		size = info.Size()
	}
	query := "SELECT coalesce(max(size), 0) FROM noted WHERE study = ?"
	if err := x.db.QueryRowContext(ctx, query, study).Scan(&known); err != nil || size == known {
		return err
	}
	all, err := studylog.ReadMarks(filepath.Join(x.Work, study), time.Time{})
	if err != nil {
		x.Warn(err.Error())
	}
	return transact(ctx, x.db, func(tx *sql.Conn) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM mark WHERE study = ?", study)
		put := func(run, kind, text string) {
			if err == nil {
				_, err = tx.ExecContext(ctx, "INSERT INTO mark VALUES (?, ?, ?, ?)", study, run, kind, printable(text))
			}
		}
		for _, run := range slices.Sorted(maps.Keys(all)) {
			m := all[run]
			for _, tag := range m.Tags {
				put(run, studylog.Tag, tag)
			}
			for _, n := range m.Notes {
				put(run, studylog.Note, n.Text)
			}
			if m.Kept {
				put(run, studylog.Keep, "")
			}
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO noted VALUES (?, ?)", study, size)
		}
		return err
	})
}

// readAll reads runs of a study and writes them into the index, while it reads the next.
func (x *Index) readAll(ctx context.Context, study string, names []string) error {
	var writing sync.WaitGroup
	var err error // of the writing
	for some := range slices.Chunk(names, batch) {
		records := x.readSome(ctx, study, some)
		writing.Wait()
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		writing.Go(func() { err = x.write(ctx, study, some, records) })
	}
	writing.Wait()
	return err
}

// readSome reads runs on all cores; an element is nil if the folder is no run.
func (x *Index) readSome(ctx context.Context, study string, names []string) []*record {
	records := make([]*record, len(names))
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(names))
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(names); i += workers {
				folder := filepath.Join(x.Work, study, names[i])
				if r, ok := read(ctx, folder, x.Launchers, x.Clock.Now()); ok {
					records[i] = r
				}
			}
		})
	}
	wg.Wait()
	return records
}

// forget removes runs of a study from the index; without any, the study.
func (x *Index) forget(ctx context.Context, study string, runs indexed) error {
	if runs != nil && len(runs) == 0 {
		return nil
	}
	x.forgot = true
	return transact(ctx, x.db, func(tx *sql.Conn) error {
		if runs == nil {
			return execute(ctx, tx, forgettingStudy, study)
		}
		for run := range runs {
			if err := execute(ctx, tx, forgetting, study, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// forgetting are the statements that remove a run.
var forgetting = []string{
	"DELETE FROM value WHERE id = (SELECT id FROM run WHERE study = ? AND run = ?)",
	"DELETE FROM about WHERE id = (SELECT id FROM run WHERE study = ? AND run = ?)",
	"DELETE FROM run WHERE study = ? AND run = ?",
}

// forgettingStudy are the statements that remove a study.
var forgettingStudy = []string{
	"DELETE FROM value WHERE id IN (SELECT id FROM run WHERE study = ?)",
	"DELETE FROM about WHERE id IN (SELECT id FROM run WHERE study = ?)",
	"DELETE FROM run WHERE study = ?", "DELETE FROM study WHERE name = ?",
	"DELETE FROM mark WHERE study = ?", "DELETE FROM noted WHERE study = ?",
}
