package cache

// A cache with a limit: what is cheapest to make once more goes first.

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

const (
	// inUse is how long an entry stays for certain after its last use: its study may go on.
	inUse = time.Hour
	// useAfter is how old the time of an entry's last use is before it is written anew: whoever reads a thousand
	// entries twice does not write a thousand times. What was used just before stays for the rest of inUse.
	useAfter = inUse / 2
	// room is the share of the limit to which a cache over it is trimmed, so that not every answer trims it once more.
	room = 0.9
	// asideFor is how long what failed its check is kept.
	asideFor = 30 * 24 * time.Hour
)

// use notes that an entry was used, in the time of its file. Where it is somebody else's, its time stays.
func (c *Cache) use(k Key) {
	now := c.clock.Now()
	if info, err := os.Stat(c.path(k)); err == nil && now.Sub(info.ModTime()) > useAfter {
		_ = os.Chtimes(c.path(k), now, now)
	}
}

// Trim removes entries until the rest takes at most most bytes, and somewhat less, and returns what it has removed.
// Worth is what it takes to make an entry once more, such as seconds, over its bytes and the time since its last use
// (after Cao and Irani, "Cost-aware WWW proxy caching algorithms", 1997, whose inflation is the age here). The least
// worth goes first; what was used within the last half hour stays, whatever the limit. Where another process trims,
// nothing is done.
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
	f, err := c.tryLock(lock)
	if err != nil || f == nil {
		return nil, err
	}
	defer func() {
		os.Remove(lock) // while it is held: see tryLock
		f.Close()
	}()
	c.forgetAside()
	now := c.clock.Now()
	worth := map[Key]float64{}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return now.Sub(e.Modified) < inUse })
	for _, e := range entries {
		if data, reason, err := c.read(e.Key); reason == "" && err == nil && data != nil {
			worth[e.Key] = max(0, cost(data)) / float64(e.Size) / now.Sub(e.Modified).Seconds()
		} else if err != nil {
			worth[e.Key] = math.Inf(1) // it is not ours to judge
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(worth[a.Key], worth[b.Key]), a.Modified.Compare(b.Modified))
	})
	for _, e := range entries {
		if float64(total) <= room*float64(most) {
			break
		}
		if err := c.Remove(e.Key); err != nil {
			return removed, err
		}
		total -= e.Size
		removed = append(removed, e)
	}
	return removed, c.forgetNotes(removed)
}

// forgetAside removes what failed its check long ago.
func (c *Cache) forgetAside() {
	folder := filepath.Dir(c.aside(Key{}))
	left, _ := os.ReadDir(folder)
	for _, f := range left {
		if info, err := f.Info(); err == nil && clock.Since(c.clock, info.ModTime()) > asideFor {
			os.Remove(filepath.Join(folder, f.Name()))
		}
	}
}

// forgetNotes removes the notes on entries that are gone.
func (c *Cache) forgetNotes(gone []Entry) error {
	if len(gone) == 0 {
		return nil
	}
	names := map[string]bool{}
	for _, e := range gone {
		names[e.Key.String()] = true
	}
	top := filepath.Join(c.dir, "groups")
	groups, _ := os.ReadDir(top)
	for _, g := range groups {
		notes, err := os.ReadDir(filepath.Join(top, g.Name()))
		if err != nil {
			return fmt.Errorf("cache: %w", err)
		}
		for _, n := range notes {
			if names[n.Name()] {
				os.Remove(filepath.Join(top, g.Name(), n.Name())) // another process may have been faster
			}
		}
		os.Remove(filepath.Join(top, g.Name())) // if it is empty now
	}
	return nil
}
