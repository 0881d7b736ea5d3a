package cache

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A group has its members in the order of their keys, whatever the order in which they joined; the first note on one
// counts, and what is no note is left out.
func TestGroup(t *testing.T) {
	c := newCache(t)
	group, _ := entryOf(100)
	other, _ := entryOf(101)
	if list, err := c.Group(group); len(list) > 0 || err != nil {
		t.Fatalf("%v %v in a group that nobody has joined", list, err)
	}
	var want []string
	for i := range 5 {
		k, _ := entryOf(4 - i)
		want = append(want, k.String()+" "+string(rune('a'+i)))
		for _, text := range []string{string(rune('a' + i)), "later"} {
			must.OK(t, c.Join(group, k, []byte(text)))
		}
	}
	k, _ := entryOf(7)
	must.OK(t, c.Join(other, k, []byte("of another")))
	must.OK(t, os.WriteFile(filepath.Join(c.group(group), "no key"), nil, 0o600))
	bad, _ := entryOf(8)
	must.OK(t, os.Mkdir(filepath.Join(c.group(group), bad.String()), 0o700))
	slices.Sort(want)
	list := must.Value(c.Group(group))(t)
	got := convert.All(list, func(n Note) string { return n.Key.String() + " " + string(n.Text) })
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if entries, err := c.List(); err != nil || len(entries) > 0 {
		t.Errorf("notes count as entries: %v %v", entries, err)
	}
}
