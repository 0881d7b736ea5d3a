package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/filelock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Lock waits until the lock of a key is free in all processes, and takes it. So one process makes an entry while the
// others wait. It fails if ctx ends first. The kernel releases the lock when its holder dies, for any reason. Call
// unlock exactly once.
//
// The usual sequence is: Get; if missing, Lock, Get again, make the entry, Put, unlock.
func (c *Cache) Lock(ctx context.Context, k Key) (unlock func(), err error) {
	path := c.path(k) + ".lock"
	t, err := c.ready() // it may have been removed
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = t.Close() // it has no data
		}
	}()
	if err := t.Make(filepath.Dir(path)); err != nil {
		return nil, fault.Machine(fmt.Errorf("cache: %w", err))
	}
	wait := time.Millisecond
	for {
		f, err := t.Lock(path)
		if err != nil {
			return nil, fault.Machine(fmt.Errorf("cache: lock %s: %w", path, err))
		}
		if f != nil {
			c.sign(f)
			return func() {
				_ = t.Remove(path) // while it is still held: see folder.Tree.Lock
				_ = f.Close()
				_ = t.Close()
			}, nil
		}
		if clock.Sleep(ctx, c.clock, wait); ctx.Err() != nil {
			return nil, fmt.Errorf("cache: entry %.12s is being made by another process: %w", k, ctx.Err())
		}
		wait = min(2*wait, 50*time.Millisecond)
	}
}

// Holder is the process that makes an entry.
type Holder struct {
	process.ID
	Host  string    `json:"host"` // name of its machine
	Since time.Time `json:"since"`
}

func (h Holder) String() string {
	text := fmt.Sprintf("process %d", h.PID)
	if hostname, _ := os.Hostname(); h.Host != hostname {
		text += " on " + h.Host
	} else if h.Stopped() {
		text += ", which is stopped (Ctrl-Z or SIGSTOP: let it go on, or kill it),"
	}
	return text + " since " + h.Since.Local().Format(time.DateTime)
}

// sign writes the holder into a lock's file, for people to read. The lock is held without it as well.
func (c *Cache) sign(f *os.File) {
	host, _ := os.Hostname()
	text, err := json.Marshal(Holder{process.Self(), host, c.clock.Now()})
	if err == nil {
		_, _ = f.WriteAt(text, 0)
		_ = f.Truncate(int64(len(text))) // text of a dead holder
	}
}

// Holder returns the holder of the lock of a key; false: the lock is free, or its holder has not yet signed.
func (c *Cache) Holder(k Key) (Holder, bool) {
	t, err := c.tree()
	if err != nil {
		return Holder{}, false
	}
	defer func() { _ = t.Close() }() // it has no data
	f, err := t.Open(c.path(k) + ".lock")
	if err != nil {
		return Holder{}, false
	}
	defer f.Close()
	if held, err := filelock.Held(f); !held || err != nil { // the text is of a dead holder
		return Holder{}, false
	}
	var h Holder
	err = json.NewDecoder(io.LimitReader(f, 1<<10)).Decode(&h)
	return h, err == nil && h.PID > 0
}

// freeLock removes the lock of an existing entry if its holder was killed before it removed the lock. The lock of an
// existing entry is not taken, so no other process would remove it.
func (c *Cache) freeLock(t *folder.Tree, k Key) {
	path := c.path(k) + ".lock"
	if _, err := t.Stat(path); err != nil {
		return
	}
	if f, err := t.Lock(path); err == nil && f != nil {
		_ = t.Remove(path) // while it is held: see folder.Tree.Lock
		_ = f.Close()
	}
}
