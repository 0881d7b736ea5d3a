package cache

// Groups find entries with a common property, such as the runs of one machine. The time of a search depends on the size
// of the group, not on the size of the cache. A group is a folder of notes:
//
//	DIR/groups/GROUP/KEY    the caller's note on the entry of that key
//
// A note does not prove that its entry exists. It is written before the entry, and stays when the entry is removed.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Note is a note on a member of a group.
type Note struct {
	Key  Key
	Text []byte
}

// noteLimit is the size limit of a note, which has some 100 bytes.
var noteLimit = intake.Limit{What: "a note on an entry", Bytes: 1 << 16}

func (c *Cache) group(group Key) string { return filepath.Join(c.dir, "groups", group.String()) }

// names lists a folder of the cache, sorted.
func (c *Cache) names(folder string) (names []string, err error) {
	t, err := c.tree()
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }() // it has no data
	entries, err := t.ReadDir(filepath.Join(c.dir, folder))
	return convert.All(entries, func(e fs.DirEntry) string { return e.Name() }), err
}

// has reports whether a name of the cache is taken.
func (c *Cache) has(path string) (bool, error) {
	t, err := c.tree()
	if err != nil {
		return false, err
	}
	defer func() { _ = t.Close() }() // it has no data
	_, err = t.Stat(path)
	return err == nil, nil
}

// Join makes a key a member of a group, with a note. An existing note is not changed. The note survives the death of
// the process, but not a loss of power, because a lost note only hides an entry from the group.
func (c *Cache) Join(group, k Key, text []byte) error {
	path := filepath.Join(c.group(group), k.String())
	if there, err := c.has(path); there || err != nil {
		return err
	}
	return c.write(path, text)
}

// Group returns the notes on the members of a group, here and in the caches behind, sorted by key. Unreadable notes are
// left out.
func (c *Cache) Group(group Key) ([]Note, error) {
	list, err := c.notes(group)
	for _, b := range c.behind {
		more, _ := b.notes(group)
		list = append(list, more...)
	}
	slices.SortStableFunc(list, func(a, b Note) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	return slices.CompactFunc(list, func(a, b Note) bool { return a.Key == b.Key }), err
}

// notes returns the notes of this cache alone.
func (c *Cache) notes(group Key) ([]Note, error) {
	files, err := c.names(filepath.Join("groups", group.String()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	var list []Note
	for _, f := range files {
		k, err := ParseKey(f)
		if err != nil {
			continue
		}
		if text, err := c.load(filepath.Join(c.group(group), f), noteLimit); err == nil {
			list = append(list, Note{k, text})
		}
	}
	return list, nil
}
