package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/filelock"
)

// Lock waits until the lock of a key is free, in this process and all others,
// and takes it. So one process makes an entry while the others wait. It fails
// when ctx ends first. The kernel releases the lock when
// its holder dies, however it dies. Call unlock exactly once.
//
// The usual way: Get; if missing, Lock, Get again, make the entry, Put, unlock.
func (c *Cache) Lock(ctx context.Context, k Key) (unlock func(), err error) {
	path := c.path(k) + ".lock"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	wait := time.Millisecond
	for {
		f, err := tryLock(path)
		if err != nil {
			return nil, fmt.Errorf("cache: lock %s: %w", path, err)
		}
		if f != nil {
			return func() {
				os.Remove(path) // while it is still held: see tryLock
				f.Close()
			}, nil
		}
		if clock.Sleep(ctx, c.clock, wait); ctx.Err() != nil {
			return nil, fmt.Errorf("cache: entry %.12s is being made by another process: %w", k, ctx.Err())
		}
		wait = min(2*wait, 50*time.Millisecond)
	}
}

// tryLock returns the locked file, or nil if it is held elsewhere. A holder
// removes the file before it lets go, so a lock counts only if the file still
// has its name afterwards. Where an open file cannot be removed (Windows), it stays.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	locked, err := filelock.Try(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	if !locked {
		return nil, f.Close()
	}
	mine, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(mine, named) {
		return nil, f.Close() // removed by its last holder between open and lock
	}
	return f, nil
}
