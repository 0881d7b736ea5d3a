//go:build unix

package cache

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// fullEnv is how many bytes a file may have before the disk counts as full.
const fullEnv = "PEREGRINE_TEST_CACHE_FULL"

func init() { roles["full"] = writeOnFullDisk }

// writeOnFullDisk writes entries, of which those fail that are larger than a limit, at the byte where they reach it.
func writeOnFullDisk(c *Cache) error {
	limit, err := strconv.ParseUint(os.Getenv(fullEnv), 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	written := 0
	for i := range helperEntries {
		k, data := entryOf(i)
		if err := c.Put(k, data); err == nil {
			written++
		} else if uint64(len(data)) < limit/2 {
			return fmt.Errorf("an entry of %d bytes below a limit of %d: %w", len(data), limit, err)
		}
	}
	fmt.Println(written)
	return nil
}

// A disk that is full at any byte leaves whole entries or none, the old ones as they were, and nothing else.
func TestFullDiskDamagesNothing(t *testing.T) {
	seed, disks := uint64(testenv.Seed), 3
	if testenv.IsLong(t) {
		disks = 12
	}
	if testenv.IsSoak() {
		seed = uint64(os.Getpid())
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for range disks {
		c := newCache(t)
		dir := c.Dir()
		old, _ := put(t, c, helperEntries-1)
		limit := rng.Uint64N(200_000)
		cmd := helper(t, "full", dir)
		cmd.Env = append(cmd.Env, fullEnv+"="+strconv.FormatUint(limit, 10))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		found := 0
		for i := range helperEntries {
			k, want := entryOf(i)
			got, ok, err := c.Get(k)
			if err != nil || ok && !bytes.Equal(got, want) {
				t.Fatalf("limit %d, entry %d: %v", limit, i, err)
			}
			if ok && (k != old || uint64(len(want)) < limit/2) {
				found++
			}
		}
		if written, _ := strconv.Atoi(string(bytes.TrimSpace(out))); found < written-1 {
			t.Errorf("limit %d: %d entries, of %d that were written", limit, found, written)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
			t.Errorf("limit %d: left behind: %v", limit, left)
		}
	}
}

// Where a group may write into the folder, its members may write all that is in it, whatever the umask is.
func TestSharedCache(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	for _, shared := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "cache")
		must.OK(t, os.Mkdir(dir, 0o755))
		if shared {
			must.OK(t, os.Chmod(dir, 0o775|os.ModeSetgid))
		}
		c := openCache(t, dir)
		k, data := entryOf(0)
		group, _ := entryOf(1)
		unlock := must.Value(c.Lock(t.Context(), k))(t)
		must.OK(t, c.Put(k, data))
		must.OK(t, c.Join(group, k, data[:10]))
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || path == dir {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if got := info.Mode().Perm()&0o020 != 0; got != shared {
				t.Errorf("%s: %v in a cache that is shared: %t", path, info.Mode(), shared)
			}
			if shared && d.IsDir() && info.Mode()&os.ModeSetgid == 0 {
				t.Errorf("%s: %v: what others make in it has another group", path, info.Mode())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		unlock()
	}
}
