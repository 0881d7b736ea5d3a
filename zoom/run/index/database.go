package index

// The database: its tables, and its opening, with repair of a damaged or old file.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/filelock"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// FileName is the name of the index in a work folder. SQLite makes files beside it with this name as a prefix.
const FileName = ".runs.sqlite"

// version is the version of the tables and of the data read from a folder. An index of another version is made anew.
const version = 8

// How long a process waits for others that write the index, or open it.
const (
	busyTime = 5 * time.Second
	lockTime = 5 * time.Second
)

// beside lists the ends of the names of the files of an index.
var beside = []string{"-wal", "-shm", "-journal", sumEnd, ""}

// openFile opens the index of a work folder. It makes the index if it is missing or of another version.
func openFile(ctx context.Context, work string) (*sql.DB, error) {
	lock, err := lockOpening(ctx, work)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }()
	path := filepath.Join(work, FileName)
	if err := editable(work); err != nil {
		return nil, err
	}
	if intact(path) {
		if db, err := connect(ctx, path); err == nil || !damaged(err) {
			return db, err
		}
	}
	// A process that has the old index open continues with it: its files then have no names.
	if err := removeFiles(work); err != nil {
		return nil, err
	}
	return connect(ctx, path)
}

// editable returns an error if a file of the index is one that must not be changed: SQLite opens them by their names,
// and follows a link at the name of the database.
func editable(work string) error {
	t, err := private.Open(work)
	for _, end := range beside {
		if err == nil {
			err = t.Editable(filepath.Join(work, FileName) + end)
		}
	}
	if t == nil {
		return err
	}
	return errors.Join(err, t.Close())
}

// lockOpening lets one process at a time open an index, since a process that opens it may have to replace it.
func lockOpening(ctx context.Context, work string) (*os.File, error) {
	t, err := private.Open(work)
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }() // the lock stays open
	f, err := t.Edit(filepath.Join(work, FileName+".lock"), 0)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		mine, err := filelock.Try(f)
		if mine {
			return f, nil
		}
		if err == nil && clock.Sleep(ctx, clock.Real, wait) != nil {
			err = errors.New("another process is opening it, and does not end")
		}
		if err != nil {
			_ = f.Close()
			return nil, err
		}
	}
}

// remove removes a damaged index.
func remove(ctx context.Context, work string) error {
	lock, err := lockOpening(ctx, work)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	return removeFiles(work)
}

func removeFiles(work string) error {
	for _, end := range beside {
		if err := os.Remove(filepath.Join(work, FileName) + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// connect opens a database with the tables of this version. If damaged reports true for its error, the index is to be
// replaced.
func connect(ctx context.Context, path string) (*sql.DB, error) {
	pragmas := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTime.Milliseconds()), "page_size(16384)", "temp_store(2)",
		"cache_size(-65536)",
	}}
	journal := "wal"
	if path != ":memory:" && tail.Network(filepath.Dir(path)) { // whose machines share no memory
		journal = "delete"
	}
	pragmas.Add("_pragma", "journal_mode("+journal+")")
	pragmas.Add("_pragma", "synchronous(1)") // a crash of the machine may lose the last runs, which are read again
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // a database in memory belongs to its connection, and so do pragmas
	if err := prepare(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// errVersion reports an index that another version of Peregrine made.
var errVersion = errors.New("it is of another version")

// prepare makes the tables of an empty database.
func prepare(ctx context.Context, db *sql.DB) error {
	var found, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	switch {
	case found == version && tables > 0:
		return db.QueryRowContext(ctx, "SELECT count(*) FROM study").Scan(&tables)
	case tables > 0:
		return errVersion
	}
	return transact(ctx, db, func(tx *sql.Conn) error {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil ||
			tables > 0 {
			return err // another process was faster
		}
		return execute(ctx, tx, schema())
	})
}

// schema returns the statements that make the tables. A value of a run is in a column of the table value; the table
// name maps names to columns. So a query reads only the values that it names. A name without runs is empty, with the
// column's number in place of its role: the next name of its kind gets the column. Names without a free column are in
// the table missing.
func schema() []string {
	types := map[Kind]string{Text: "TEXT", Number: "REAL", Truth: "INTEGER"}
	run, about := []string{
		"id INTEGER PRIMARY KEY", "at INTEGER NOT NULL", "settled INTEGER NOT NULL",
	}, []string{"id INTEGER PRIMARY KEY"}
	for _, c := range columns {
		switch {
		case c.about:
			about = append(about, c.Name+" "+types[c.Kind])
		case c.of != nil:
			run = append(run, c.Name+" "+types[c.Kind])
		}
	}
	return []string{
		"CREATE TABLE study (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
		"CREATE TABLE run (" + strings.Join(run, ", ") + ", UNIQUE (study, run))",
		"CREATE TABLE about (" + strings.Join(about, ", ") + ")",
		"CREATE INDEX ending ON run (class, solver)",
		"CREATE INDEX unsettled ON run (study) WHERE NOT settled",
		"CREATE TABLE value (id INTEGER PRIMARY KEY)",
		"CREATE TABLE name (col INTEGER PRIMARY KEY, role TEXT NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, " +
			"solvers TEXT NOT NULL, UNIQUE (role, kind, name))",
		"CREATE TABLE noted (study TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID",
		"CREATE TABLE mark (study TEXT NOT NULL, run TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL)",
		"CREATE INDEX marked ON mark (study, run)",
		"CREATE TABLE missing (name TEXT PRIMARY KEY) WITHOUT ROWID",
		view(nil),
		fmt.Sprintf("PRAGMA user_version = %d", version),
	}
}

// view returns the statement that makes the view runs: all data of runs, under the names of their fields, for people.
//
//	sqlite3 .runs.sqlite 'SELECT study, run, "output.PR" FROM runs WHERE class = "converged" AND "input.cfl" > 5'
func view(names map[valueName]named) string {
	var list []string
	for _, c := range columns {
		switch {
		case c.about:
			list = append(list, "about."+c.Name)
		case c.of != nil && !c.hidden:
			list = append(list, "run."+c.Name)
		}
	}
	for _, n := range sortedNames(maps.Keys(names)) {
		full := n.role + "." + Role(n.name)
		if _, number := names[valueName{n.role, Number, n.name}]; number && n.kind == Text {
			full += ".text"
		}
		list = append(list, fmt.Sprintf(`value.c%d AS "%s"`, names[n].col, strings.ReplaceAll(string(full), `"`, `""`)))
	}
	return "CREATE VIEW runs AS SELECT " + strings.Join(list, ", ") +
		" FROM run JOIN about ON about.id = run.id JOIN value ON value.id = run.id"
}

// transact runs f in a transaction that may write from its beginning: it need not be aborted when another process has
// written.
func transact(ctx context.Context, db *sql.DB, f func(tx *sql.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // returns it to the pool
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := f(conn); err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // it may have been rolled back already
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	}
	return err
}

// damaged reports whether an error means that the database should be made anew. Errors of the file system or of locks
// do not.
func damaged(err error) bool {
	if errors.Is(err, errVersion) || errors.Is(err, errRoom) || errors.Is(err, errKind) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_FULL, lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN,
		lib.SQLITE_PERM, lib.SQLITE_INTERRUPT, lib.SQLITE_NOMEM, lib.SQLITE_AUTH:
		return false
	case lib.SQLITE_IOERR:
		return e.Code() == lib.SQLITE_IOERR_SHORT_READ
	}
	return true
}

// errKind reports a value that has the type of another kind of values: the file was damaged.
var errKind = errors.New("a value has another type")

// errRoom reports an index that once was too small for all values and now has free columns: it is to be made anew.
var errRoom = errors.New("it has room for values that it lacks")
