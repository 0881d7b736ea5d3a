package cache

// A cache with a size limit: entries that are the least expensive to make again are removed first.

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
)

const (
	// inUse is how long an entry stays for certain after its last use: its study may go on.
	inUse = time.Hour
	// useAfter is the age at which the recorded last use of an entry is renewed: a process that reads a thousand
	// entries twice does not write a thousand times. An entry used just before is protected for the rest of inUse.
	useAfter = inUse / 2
	// room is the share of the limit to which a larger cache is trimmed, so that not every new answer trims it again.
	room = 0.9
	// asideFor is how long damaged entries are kept.
	asideFor = 30 * 24 * time.Hour
)

// use records the use of an entry, as the time of its file. If the file belongs to another user its time does not
// change.
func (c *Cache) use(t *folder.Tree, k Key) {
	now := c.clock.Now()
	if info, err := t.Stat(c.path(k)); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > useAfter {
		_ = t.Touch(c.path(k), now)
	}
}

// Trim removes entries until the rest takes somewhat less than most bytes, and returns the removed entries. The worth
// of an entry is its cost, such as the seconds to make it again, over its bytes and the time since its last use (after
// Cao and Irani, "Cost-aware WWW proxy caching algorithms", 1997; the age replaces their inflation). The entries of
// least worth are removed first. Entries used within the last half hour, and entries of infinite cost, stay, whatever
// the limit. If another process trims, Trim does nothing.
func (c *Cache) Trim(most int64, cost func(data []byte) float64) (removed []Entry, err error) {
	entries, err := c.List()
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, e := range entries {
		total += e.Size
	}
	if total <= most {
		return nil, nil
	}
	lock := filepath.Join(c.dir, "trim.lock")
	t, err := c.tree()
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }() // it has no data
	f, err := t.Lock(lock)
	if err != nil || f == nil {
		return nil, err
	}
	defer func() {
		_ = t.Remove(lock) // while it is held: see folder.Tree.Lock
		_ = f.Close()
	}()
	c.forgetAside(t)
	now := c.clock.Now()
	worth := map[Key]float64{}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return now.Sub(e.Modified) < inUse })
	for _, e := range entries {
		if data, _, reason, err := c.read(e.Key); reason == "" && err == nil && data != nil {
			worth[e.Key] = max(0, cost(data)) / float64(e.Size) / now.Sub(e.Modified).Seconds()
		} else if err != nil {
			worth[e.Key] = math.MaxFloat64 // it is not ours to judge: it is removed last
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(worth[a.Key], worth[b.Key]), a.Modified.Compare(b.Modified))
	})
	for _, e := range entries {
		if float64(total) <= room*float64(most) || math.IsInf(worth[e.Key], 1) {
			break
		}
		if err := c.Remove(e.Key); err != nil {
			return removed, err
		}
		total -= e.Size
		removed = append(removed, e)
	}
	return removed, c.forgetNotes(t, removed)
}

// forgetAside removes damaged entries that were set aside long ago.
func (c *Cache) forgetAside(t *folder.Tree) {
	aside := filepath.Dir(c.aside(Key{}))
	left, _ := t.ReadDir(aside)
	for _, f := range left {
		if info, err := f.Info(); err == nil && clock.Since(c.clock, info.ModTime()) > asideFor {
			_ = t.Remove(filepath.Join(aside, f.Name())) // another process may have been faster
		}
	}
}

// forgetNotes removes the notes on removed entries.
func (c *Cache) forgetNotes(t *folder.Tree, gone []Entry) error {
	if len(gone) == 0 {
		return nil
	}
	names := map[string]bool{}
	for _, e := range gone {
		names[e.Key.String()] = true
	}
	top := filepath.Join(c.dir, "groups")
	groups, _ := t.ReadDir(top)
	for _, g := range groups {
		notes, err := t.ReadDir(filepath.Join(top, g.Name()))
		if err != nil {
			return fmt.Errorf("cache: %w", err)
		}
		for _, n := range notes {
			if names[n.Name()] {
				_ = t.Remove(filepath.Join(top, g.Name(), n.Name())) // another process may have been faster
			}
		}
		_ = t.Remove(filepath.Join(top, g.Name())) // if it is empty now
	}
	return nil
}
