package cache

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// An entry of these tests begins with what it costs.
func costOf(data []byte) float64 {
	first, _, _ := bytes.Cut(data, []byte(" "))
	cost, _ := strconv.ParseFloat(string(first), 64)
	return cost
}

// Trimming keeps the limit, removes nothing that is worth more than something that it keeps, nothing that was just
// used, and no more than it must.
func TestTrim(t *testing.T) {
	testenv.Check(t, func(rt *rapid.T) {
		c := newCache(t)
		now := time.Now()
		type made struct {
			key  Key
			size int64
			worth,
			age float64
		}
		var all []made
		total := int64(0)
		for i := range rapid.IntRange(0, 12).Draw(rt, "entries") {
			k, _ := entryOf(i)
			data := fmt.Appendf(nil, "%d ", rapid.IntRange(0, 1000).Draw(rt, "cost"))
			if rapid.IntRange(0, 9).Draw(rt, "kept") == 0 {
				data = []byte("Inf ")
			}
			data = append(data, make([]byte, rapid.IntRange(0, 5000).Draw(rt, "bytes"))...)
			must.OK(rt, c.Put(k, data))
			age := time.Duration(rapid.IntRange(0, 1000).Draw(rt, "age")) * 10 * time.Minute
			must.OK(rt, os.Chtimes(c.path(k), now.Add(-age), now.Add(-age)))
			size := int64(len(header(k, data)) + len(data))
			all = append(all, made{k, size, costOf(data) / float64(size) / age.Seconds(), age.Seconds()})
			total += size
		}
		limit := rapid.Int64Range(0, 40_000).Draw(rt, "limit")
		removed := must.Value(c.Trim(limit, costOf))(rt)
		gone := map[Key]bool{}
		left, least := total, 0.0
		smallest := int64(1 << 60)
		for _, e := range removed {
			gone[e.Key] = true
			left -= e.Size
			smallest = min(smallest, e.Size)
		}
		if total <= limit && len(removed) > 0 {
			rt.Fatalf("%d removed of a cache below its limit", len(removed))
		}
		old := false
		for _, m := range all {
			if gone[m.key] {
				least = max(least, m.worth)
				if math.IsInf(m.worth, 1) {
					rt.Fatal("an entry of infinite cost is removed")
				}
				if m.age < inUse.Seconds() {
					rt.Fatalf("what was used %g s ago is removed", m.age)
				}
			}
		}
		for _, m := range all {
			if !gone[m.key] && m.age > inUse.Seconds()+60 {
				old = old || !math.IsInf(m.worth, 1)
				if m.worth < least*(1-1e-3) {
					rt.Fatalf("worth %g stays, %g goes", m.worth, least)
				}
			}
		}
		if left > limit && old {
			rt.Fatalf("%d bytes left, the limit is %d, and more could go", left, limit)
		}
		if len(removed) > 0 && float64(left+removed[len(removed)-1].Size) <= room*float64(limit) {
			rt.Fatal("the last need not have gone")
		}
		entries, err := c.List()
		if err != nil || len(entries) != len(all)-len(removed) {
			rt.Fatalf("%d entries, %v", len(entries), err)
		}
	})
}

// What was used lately stays, and notes go with their entries.
func TestTrimKnowsUseAndNotes(t *testing.T) {
	for _, ago := range []time.Duration{100 * time.Hour, 3 * time.Hour, inUse + time.Minute} {
		trimKnowsUseAndNotes(t, ago)
	}
}

func trimKnowsUseAndNotes(t *testing.T, ago time.Duration) {
	c := newCache(t)
	group, _ := entryOf(100)
	long := time.Now().Add(-ago)
	for i := range 3 {
		k, _ := entryOf(i)
		must.OK(t, c.Put(k, append([]byte("1 "), make([]byte, 1000)...)))
		must.OK(t, c.Join(group, k, []byte("note")))
		must.OK(t, os.Chtimes(c.path(k), long, long))
	}
	used, _ := entryOf(1)
	if _, ok, err := c.Get(used); !ok || err != nil {
		t.Fatal(ok, err)
	}
	removed, err := c.Trim(1, costOf)
	if err != nil || len(removed) != 2 || slices.ContainsFunc(removed, func(e Entry) bool { return e.Key == used }) {
		t.Errorf("removed %v, %v", removed, err)
	}
	notes, err := c.Group(group)
	if err != nil || len(notes) != 1 || notes[0].Key != used {
		t.Errorf("%v, %v", notes, err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.dir, "*.lock")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What another process holds to trim is not trimmed twice.
func TestTrimByOneAtATime(t *testing.T) {
	c := newCache(t)
	k, _ := put(t, c, 0)
	long := time.Now().Add(-100 * time.Hour)
	must.OK(t, os.Chtimes(c.path(k), long, long))
	f, err := must.Value(c.tree())(t).Lock(filepath.Join(c.dir, "trim.lock"))
	if err != nil || f == nil {
		t.Fatal(err)
	}
	if removed, err := c.Trim(1, costOf); len(removed) > 0 || err != nil {
		t.Errorf("%v, %v", removed, err)
	}
	f.Close()
	if removed, err := c.Trim(1, costOf); len(removed) != 1 || err != nil {
		t.Errorf("%v, %v", removed, err)
	}
}

// What a cache lacks comes from those behind it, which stay as they are.
func TestCachesBehind(t *testing.T) {
	site, other := t.TempDir(), t.TempDir()
	s, o := openCache(t, site), openCache(t, other)
	k0, d0 := entryOf(0)
	k1, d1 := entryOf(1)
	k2, d2 := entryOf(2)
	group, _ := entryOf(100)
	for _, put := range []struct {
		c *Cache
		k Key
		d []byte
	}{{s, k0, d0}, {s, k1, d1}, {o, k1, d1}, {o, k2, d2}} {
		must.OK(t, put.c.Put(put.k, put.d))
		must.OK(t, put.c.Join(group, put.k, put.d[:5]))
	}
	must.OK(t, os.WriteFile(s.path(k1), []byte("damaged"), 0o644))
	mine := filepath.Join(t.TempDir(), "mine")
	c := must.Value(Open(mine, filepath.Join(mine, "nothing"), site, other))(t)
	for k, want := range map[Key][]byte{k0: d0, k1: d1, k2: d2} {
		if got, ok, err := c.Get(k); !ok || err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %t, %v", k, ok, err)
		}
	}
	if notes, err := c.Group(group); len(notes) != 3 || err != nil {
		t.Errorf("%d notes, %v", len(notes), err)
	}
	if entries, err := c.List(); len(entries) > 0 || err != nil {
		t.Errorf("%d entries came over, %v", len(entries), err)
	}
	must.OK(t, c.Put(k0, d2))
	if got, _, _ := c.Get(k0); !bytes.Equal(got, d2) {
		t.Error("its own entry is not the first")
	}
	if got, ok, _ := s.Get(k0); !ok || !bytes.Equal(got, d0) {
		t.Error("the entry behind has changed")
	}
	if data, err := os.ReadFile(s.path(k1)); err != nil || string(data) != "damaged" {
		t.Errorf("a damaged entry behind was moved: %v", err)
	}
}
