package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/folder/foldertest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// useAll uses a cache in every way; errors are allowed, waiting is not.
func useAll(t *testing.T, dir string) {
	c, err := Open(dir)
	if err != nil {
		return
	}
	for i := range 3 {
		k, data := entryOf(i)
		group, _ := entryOf(100)
		if unlock, err := c.Lock(t.Context(), k); err == nil {
			_, _ = c.Holder(k)
			_ = c.Put(k, data)
			unlock()
		}
		_ = c.Join(group, k, []byte("a note"))
		_, _, _ = c.Get(k)
		_, _ = c.Verify(k)
		_, _ = c.Group(group)
	}
	var bundle bytes.Buffer
	k, _ := entryOf(1)
	m := Manifest{Made: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	_, _ = c.Export(t.Context(), &bundle, m, []Key{k}, func(Key) any { return nil })
	_ = c.Remove(k)
	_, _ = c.Import(t.Context(), &bundle, func(_, _ []byte) bool { return true })
	_, _ = c.Imports()
	damaged, _ := entryOf(2)
	if t, err := c.tree(); err == nil {
		_ = t.Write(c.path(damaged), []byte("damage"))
		_ = t.Close()
	}
	_, _, _ = c.Get(damaged)
	old, _ := entryOf(0)
	if entries, err := c.List(); err == nil && len(entries) > 0 {
		long := time.Now().Add(-100 * time.Hour)
		if info, err := os.Lstat(c.path(old)); err == nil && info.Mode().IsRegular() {
			_ = os.Chtimes(c.path(old), long, long)
		}
	}
	_, _ = c.Trim(1, costOf)
}

// What another member of the group plants at any name of a shared cache, in place of a file or of a folder, leads to
// no file of the user: none changes in content or mode, none is made, and the cache does not wait.
func TestPlantedNamesOfACacheLeadNowhere(t *testing.T) {
	shared := func() string {
		dir := t.TempDir()
		must.OK(t, os.Chmod(dir, 0o777))
		return dir
	}
	model := shared()
	useAll(t, model)
	names := foldertest.Names(t, model, func() { useAll(t, model) })
	if len(names) < 12 {
		t.Fatalf("a cache has the names %v", names)
	}
	long := testenv.IsLong(t)
	first, _ := entryOf(0)
	for _, plant := range foldertest.Plants {
		for _, name := range names {
			if !long && name != "tmp" && name != "trim.lock" && filepath.Base(name) != first.String()+".lock" {
				continue
			}
			dir := shared()
			victim := foldertest.NewVictim(t)
			plant.At(t, filepath.Join(dir, name), victim)
			useAll(t, dir)
			victim.Check(t, plant.Name+" at "+name)
		}
	}
}
