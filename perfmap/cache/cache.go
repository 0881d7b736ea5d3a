// Package cache keeps expensive answers on disk, under keys made of all inputs of the answer.
package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Cache keeps expensive answers in a folder that any number of processes may share. An entry is named by the hash of
// all inputs of its answer, so an entry is never out of date.
//
//	DIR/ab/abcdef...        an entry: a header with its key, length and checksum, then the data
//	DIR/ab/abcdef....lock   held while a process makes the entry
//	DIR/tmp/                entries being written
//	DIR/damaged/            entries that failed their check
//	DIR/groups/             notes on the runs of a machine, for their search
//	DIR/imports/            contents and origin of imported bundles
//	DIR/trim.lock           held while a process removes entries to keep a limit
//	DIR/licences/           locks that count licences, unless a solver names another folder; see package licence
//	DIR/cores/              locks that count each machine's cores
//
// Several users can share a cache: if others may write into DIR (for example, after chmod g+ws), they may write all its
// contents. Its locks need a local file system.
//
// A Cache is safe for concurrent use.
type Cache struct {
	dir    string
	clock  clock.Clock
	behind []*Cache // caches for entries that this cache lacks, in this order; they are only read
}

// Entry describes a cache entry.
type Entry struct {
	Key      Key
	Size     int64 // bytes on disk, header included
	Modified time.Time
}

// DamagedError reports an entry that failed its check. The entry was set aside and counts as missing: the caller makes
// it again.
type DamagedError struct {
	Key    Key
	Reason string
	Aside  string // where the damaged file is now; empty: it could not be moved
}

func (e *DamagedError) Error() string {
	where := "it could not be set aside"
	if e.Aside != "" {
		where = "set aside as " + e.Aside
	}
	return fmt.Sprintf("cache entry %.12s is damaged: %s; %s", e.Key, e.Reason, where)
}

// GoneError reports a missing entry: another process may have removed it meanwhile.
type GoneError struct{ Key Key }

func (e *GoneError) Error() string { return fmt.Sprintf("cache: entry %.12s has been removed", e.Key) }

// staleAfter is the age at which a file in DIR/tmp counts as left behind by a dead process, if its process cannot be
// checked. Writing an entry takes seconds.
const staleAfter = time.Hour

// Open opens a cache. It creates its folder if necessary, and removes files that processes left behind when they died
// while writing.
//
// Missing entries and groups are looked up in the caches of the folders behind it, for example the cache of a site.
// These are never written.
//
// A folder that cannot be made or written is a fault of the machine.
func Open(dir string, behind ...string) (*Cache, error) {
	c := &Cache{dir: dir, clock: clock.Real}
	t, err := c.ready()
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }() // it has no data
	for _, d := range behind {
		c.behind = append(c.behind, &Cache{dir: d, clock: clock.Real})
	}
	left, err := t.ReadDir(c.tmp())
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	for _, f := range left {
		if info, err := f.Info(); err == nil && (atomic.Abandoned(f.Name()) ||
			clock.Since(c.clock, info.ModTime()) > staleAfter) {
			_ = t.Remove(filepath.Join(c.tmp(), f.Name())) // another process may have been faster
		}
	}
	return c, nil
}

// ready opens the cache's folder, after it has made what is missing of it for writing. Close it.
func (c *Cache) ready() (*folder.Tree, error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		if to, rerr := os.Readlink(c.dir); rerr == nil {
			err = fmt.Errorf("%s is a link to %s, where no folder is", c.dir, to)
		}
		return nil, fault.Machine(fmt.Errorf("cache: %w", err))
	}
	t, err := c.tree()
	if err != nil {
		return nil, fault.Machine(err)
	}
	if err := t.Make(c.tmp()); err != nil {
		_ = t.Close() // it has no data
		return nil, fault.Machine(fmt.Errorf("cache: %s: %w", c.dir, err))
	}
	return t, nil
}

// tree opens the cache's folder. Close it.
func (c *Cache) tree() (*folder.Tree, error) {
	t, err := folder.Open(c.dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	return t, nil
}

// Dir returns the cache's folder.
func (c *Cache) Dir() string { return c.dir }

func (c *Cache) tmp() string        { return filepath.Join(c.dir, "tmp") }
func (c *Cache) path(k Key) string  { return filepath.Join(c.dir, k.String()[:2], k.String()) }
func (c *Cache) aside(k Key) string { return filepath.Join(c.dir, "damaged", k.String()) }

// header begins an entry: a mark, its key, the length of the data, and the SHA-256 of key and data. So an entry under
// the name of another one fails its check.
func header(k Key, data []byte) []byte {
	sum := sha256.New()
	sum.Write(k[:])
	sum.Write(data)
	return fmt.Appendf(nil, "peregrine-cache 2 %s %d %x\n", k, len(data), sum.Sum(nil))
}

// unboundHeader begins an entry of version 0.1.0, which does not hold its key.
func unboundHeader(data []byte) []byte {
	return fmt.Appendf(nil, "peregrine-cache 1 %d %x\n", len(data), sha256.Sum256(data))
}

// entryLimit is that of an entry. A map has some 100 kB, the answer of a run some MB.
var entryLimit = intake.Limit{What: "an entry", Bytes: 1 << 30}

// Get returns the data of an entry; false: the entry is missing. An entry that fails its check is set aside; Get
// returns a [*DamagedError] and false. A damaged entry of a cache behind stays in its place, and counts as missing.
func (c *Cache) Get(k Key) ([]byte, bool, error) {
	data, ok, err := c.get(k, true)
	if ok {
		return data, true, nil
	}
	for _, b := range c.behind {
		if data, _, reason, rerr := b.read(k); reason == "" && rerr == nil && data != nil {
			return data, true, nil
		}
	}
	return data, ok, err
}

// get is Get of this cache alone; used: the entry counts as used. It writes an entry that does not hold its key anew.
func (c *Cache) get(k Key, used bool) ([]byte, bool, error) {
	t, err := c.tree()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	defer func() { _ = t.Close() }() // it has no data
	data, old, reason, err := c.readIn(t, k)
	switch {
	case reason != "":
		return nil, false, c.setAside(k, reason)
	case data == nil || err != nil:
		return nil, false, err
	}
	if old {
		_ = c.Put(k, data) // on a full disk, or in a folder of another user, it stays as it is
	}
	c.freeLock(t, k)
	if used {
		c.use(t, k)
	}
	return data, true, nil
}

// Peek returns the data of an entry of this cache. The entry does not change, even if damaged, and does not count as
// used.
func (c *Cache) Peek(k Key) ([]byte, error) {
	data, _, reason, err := c.read(k)
	switch {
	case err != nil:
		return nil, err
	case reason != "":
		return nil, errors.New("damaged: " + reason)
	case data == nil:
		return nil, &GoneError{k}
	}
	return data, nil
}

// Verify returns the data of an entry of this cache. It sets a damaged entry aside and returns the error of Get.
func (c *Cache) Verify(k Key) ([]byte, error) {
	data, ok, err := c.get(k, false)
	if err == nil && !ok {
		err = &GoneError{k}
	}
	return data, err
}

// read returns the data of an entry, nil for a missing entry, or the reason why it is damaged. old: its file does not
// hold its key.
func (c *Cache) read(k Key) (data []byte, old bool, reason string, err error) {
	t, err := c.tree()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, "", nil
	} else if err != nil {
		return nil, false, "", err
	}
	defer func() { _ = t.Close() }() // it has no data
	return c.readIn(t, k)
}

// readIn is read in the opened folder of the cache.
func (c *Cache) readIn(t *folder.Tree, k Key) (data []byte, old bool, reason string, err error) {
	raw, err := t.Read(c.path(k), entryLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, "", nil
	}
	var kind *intake.KindError
	var size *intake.SizeError
	if errors.As(err, &kind) || errors.As(err, &size) {
		return nil, false, errors.Unwrap(err).Error(), nil
	}
	if err != nil {
		return nil, false, "", fmt.Errorf("cache: %w", err)
	}
	if data, old = content(k, raw); data == nil {
		reason = fmt.Sprintf("its %d bytes do not match its checksum, or belong to another key", len(raw))
	}
	return data, old, reason, nil
}

// load returns the content of a file of the cache.
func (c *Cache) load(path string, limit intake.Limit) ([]byte, error) {
	t, err := c.tree()
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }() // it has no data
	return t.Read(path, limit)
}

// content returns the data of the file of an entry, nil if it fails its check. old: the file does not hold its key.
func content(k Key, raw []byte) (data []byte, old bool) {
	at := bytes.IndexByte(raw, '\n') + 1
	switch data = raw[at:]; {
	case bytes.Equal(raw[:at], header(k, data)):
		return data, false
	case bytes.Equal(raw[:at], unboundHeader(data)):
		return data, true
	}
	return nil, false
}

func (c *Cache) setAside(k Key, reason string) error {
	e := &DamagedError{Key: k, Reason: reason}
	t, err := c.tree()
	if err != nil {
		return e
	}
	defer func() { _ = t.Close() }() // it has no data
	if t.Make(filepath.Dir(c.aside(k))) != nil {
		return e
	}
	// A process that has just replaced the entry loses it here. The entry is then made again unnecessarily, but is
	// never wrong.
	if err := t.Rename(c.path(k), c.aside(k)); err == nil {
		e.Aside = c.aside(k)
	} else if errors.Is(err, fs.ErrNotExist) {
		e.Aside = "(another process has done so)"
	}
	return e
}

// Put stores data under a key, whole or not at all, also if the process is
// killed at any instruction or the machine loses its power.
func (c *Cache) Put(k Key, data []byte) error {
	return c.write(c.path(k), append(header(k, data), data...), atomic.Sync)
}

// PutSoon is Put without flushing to the disk, for data that are made again as quickly as they are flushed. After a
// loss of power the entry may be complete, missing, or damaged and detected as such.
func (c *Cache) PutSoon(k Key, data []byte) error {
	return c.write(c.path(k), append(header(k, data), data...))
}

// write makes a file of the cache.
func (c *Cache) write(path string, data []byte, options ...atomic.Option) error {
	t, err := c.ready() // it may have been removed
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // it has no data
	if err = t.Make(filepath.Dir(path)); err == nil {
		err = t.Write(path, data, append(options, atomic.Via(c.tmp()))...)
	}
	if err != nil {
		return fault.Machine(fmt.Errorf("cache: %w", err))
	}
	return nil
}

// Remove deletes an entry. A missing entry is not an error.
func (c *Cache) Remove(k Key) error {
	t, err := c.tree()
	if err == nil {
		defer func() { _ = t.Close() }() // it has no data
		err = t.Remove(c.path(k))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// List returns all entries, sorted by key. It does not read their data.
func (c *Cache) List() ([]Entry, error) {
	t, err := c.tree()
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }() // it has no data
	shards, err := t.ReadDir(c.dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	var out []Entry
	for _, s := range shards {
		if !s.IsDir() || len(s.Name()) != 2 {
			continue
		}
		files, err := t.ReadDir(filepath.Join(c.dir, s.Name()))
		if err != nil {
			return nil, fmt.Errorf("cache: %w", err)
		}
		for _, f := range files {
			k, err := ParseKey(f.Name())
			if err != nil {
				continue // a lock
			}
			info, err := f.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed meanwhile
			}
			if err != nil {
				return nil, fmt.Errorf("cache: %w", err)
			}
			out = append(out, Entry{Key: k, Size: info.Size(), Modified: info.ModTime()})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Key.String(), b.Key.String()) })
	return out, nil
}
