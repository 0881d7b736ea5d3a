package log

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/filelock"
	private "github.com/peregrine-sim/peregrine/internal/folder"
)

const lockName = ".lock"

// BusyError reports a study whose log another process writes.
type BusyError struct{ Study string }

func (e *BusyError) Error() string {
	return fmt.Sprintf(
		"study %s is being worked on by another process; wait for its end or give another name (--study)", e.Study)
}

// A process that only checks whether a study is busy also holds its lock for a moment. So a process that takes the lock
// tries for lockTime, every lockEvery.
const (
	lockTime  = 100 * time.Millisecond
	lockEvery = 10 * time.Millisecond
)

// lock takes a lock in the folder. The kernel releases the lock when this process dies.
func lock(folder, name string, at clock.Clock) (unlock func() error, err error) {
	for wait := lockTime; ; wait -= lockEvery {
		f, err := tryLock(folder, name)
		switch {
		case err != nil:
			return nil, err
		case f != nil:
			return func() error { return filelock.Close(f) }, nil
		case wait <= 0:
			return nil, &BusyError{filepath.Base(folder)}
		}
		_ = clock.Sleep(context.Background(), at, lockEvery) // never cancelled
	}
}

// tryLock returns the locked file, or nil if another process holds it.
func tryLock(folder, name string) (*os.File, error) {
	t, err := private.OpenOwn(folder)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	defer func() { _ = t.Close() }() // the lock stays open
	f, err := t.Lock(filepath.Join(folder, name))
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	return f, nil
}

// Busy reports whether a process writes the log of a study at this moment. A caller that acts on the result uses Idle
// or Remove.
func Busy(folder string) bool {
	f, err := private.OpenFile(filepath.Join(folder, lockName))
	if err != nil {
		return false
	}
	defer filelock.Close(f)
	held, err := filelock.Held(f)
	return err == nil && held
}

// Idle calls act if no process writes the log of a study, and prevents all writing until act returns. It reports
// whether it called act.
func Idle(folder string, act func() error) (bool, error) {
	f, err := tryLock(folder, lockName)
	if f == nil || err != nil {
		return false, err
	}
	defer filelock.Close(f)
	return true, act()
}

// Remove removes what is made in a study's folder, its log among it, and the folder, if no process writes the log. It
// reports whether it did, and the names that it left: of entries that are not made, which keep the folder. It follows
// no link.
func Remove(folder string, made func(fs.DirEntry) bool) (removed bool, left []string, err error) {
	path := filepath.Join(folder, lockName)
	removed, err = Idle(folder, func() error {
		t, err := private.OpenOwn(folder)
		if err != nil {
			return err
		}
		defer func() { _ = t.Close() }() // it has no data
		if left, err = clear(t, folder, made); err == nil && t.Remove(path) == nil && left == nil {
			err = os.Remove(folder)
		}
		return err
	})
	if _, there := os.Lstat(path); removed && err == nil && there == nil { // Windows removes no open file
		if err = os.Remove(path); err == nil && left == nil {
			err = os.Remove(folder) // fails if another process has begun a study of that name
		}
	}
	if errors.Is(err, fs.ErrNotExist) { // another process removed it
		return false, nil, nil
	}
	return removed, left, err
}

// clear removes what is made in a folder, but the lock, and returns the names of the rest.
func clear(t *private.Tree, folder string, made func(fs.DirEntry) bool) (left []string, err error) {
	entries, err := t.ReadDir(folder)
	for _, e := range entries {
		switch {
		case e.Name() == lockName:
		case made(e):
			err = errors.Join(err, t.RemoveAll(filepath.Join(folder, e.Name())))
		default:
			left = append(left, e.Name())
		}
	}
	return left, err
}
