package cache

// Entries that have something in common, such as the runs of one machine, are found as a group, in a time that goes
// with the size of the group and not with that of the cache. A group is a folder of notes:
//
//	DIR/groups/GROUP/KEY    what the caller says of the entry of that key
//
// A note does not prove that its entry is there. It is written before the entry, and stays when that is removed.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Note is what is said of a member of a group.
type Note struct {
	Key  Key
	Text []byte
}

// noteLimit is that of a note, which has some 100 bytes.
var noteLimit = intake.Limit{What: "a note on an entry", Bytes: 1 << 16}

func (c *Cache) group(group Key) string { return filepath.Join(c.dir, "groups", group.String()) }

// Join makes a key a member of a group, with a note. A note that is there stays as it is. It is safe from the death
// of the process alone, as what is lost with it is that an entry is found.
func (c *Cache) Join(group, k Key, text []byte) error {
	path := filepath.Join(c.group(group), k.String())
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return c.write(path, text)
}

// Group returns the notes on the members of a group, here and behind, sorted by key, whatever the order of their
// files. One that cannot be read is left out.
func (c *Cache) Group(group Key) ([]Note, error) {
	list, err := c.notes(group)
	for _, b := range c.behind {
		more, _ := b.notes(group)
		list = append(list, more...)
	}
	slices.SortStableFunc(list, func(a, b Note) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	return slices.CompactFunc(list, func(a, b Note) bool { return a.Key == b.Key }), err
}

// notes are those of this cache alone.
func (c *Cache) notes(group Key) ([]Note, error) {
	files, err := os.ReadDir(c.group(group)) // which sorts them by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	var list []Note
	for _, f := range files {
		k, err := ParseKey(f.Name())
		if err != nil {
			continue
		}
		if text, err := intake.Read(filepath.Join(c.group(group), f.Name()), noteLimit); err == nil {
			list = append(list, Note{k, text})
		}
	}
	return list, nil
}
