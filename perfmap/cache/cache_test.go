package cache

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// helperEnv makes the test binary play a process that shares a cache.
const helperEnv = "PEREGRINE_TEST_CACHE_HELPER"

func TestMain(m *testing.M) {
	if role := os.Getenv(helperEnv); role != "" {
		if err := cacheHelper(role, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// roles are those that only some systems have.
var roles = map[string]func(*Cache) error{}

const helperEntries = 20

func entryOf(i int) (Key, []byte) {
	k, err := NewKey(map[string]int{"entry": i})
	if err != nil {
		panic(err)
	}
	return k, bytes.Repeat([]byte(fmt.Sprintf("entry %d\n", i)), 1000*(i+1))
}

func cacheHelper(role, dir string) error {
	c, err := Open(dir)
	if err != nil {
		return err
	}
	if special := roles[role]; special != nil {
		return special(c)
	}
	switch role {
	case "make": // every entry, once over all processes
		for i := range helperEntries {
			if err := makeOnce(c, i); err != nil {
				return err
			}
		}
	case "write": // until killed
		for i := 0; ; i++ {
			fmt.Println(i, "entries written")
			k, data := entryOf(i % helperEntries)
			if err := c.Put(k, data); err != nil {
				return err
			}
		}
	case "hold": // a lock, until killed
		k, _ := entryOf(0)
		if _, err := c.Lock(context.Background(), k); err != nil {
			return err
		}
		fmt.Println("locked")
		time.Sleep(time.Hour)
	}
	return nil
}

func makeOnce(c *Cache, i int) error {
	k, data := entryOf(i)
	if got, ok, err := c.Get(k); err != nil || ok && !bytes.Equal(got, data) {
		return fmt.Errorf("entry %d before: %v", i, err)
	} else if ok {
		return nil
	}
	unlock, err := c.Lock(context.Background(), k)
	if err != nil {
		return err
	}
	defer unlock()
	if _, ok, err := c.Get(k); ok || err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(c.Dir(), "made"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	if _, err := fmt.Fprintln(log, i); err != nil {
		return err
	}
	return c.Put(k, data)
}

func helper(t *testing.T, role, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), helperEnv+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// startHelper starts a helper and returns once it has said some lines.
func startHelper(t *testing.T, role, dir string, lines int) *exec.Cmd {
	t.Helper()
	cmd := helper(t, role, dir)
	out := must.Value(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	for said := bufio.NewScanner(out); lines > 0; lines-- {
		if !said.Scan() {
			t.Fatalf("%s ended early: %v", role, said.Err())
		}
	}
	return cmd
}

func openCache(t must.T, dir string) *Cache {
	t.Helper()
	return must.Value(Open(dir))(t)
}

func newCache(t testing.TB) *Cache { return openCache(t, t.TempDir()) }

// put makes an entry of a cache.
func put(t must.T, c *Cache, i int) (Key, []byte) {
	t.Helper()
	k, data := entryOf(i)
	must.OK(t, c.Put(k, data))
	return k, data
}

func TestProcessesMakeEachEntryOnce(t *testing.T) {
	dir := t.TempDir()
	var all []*exec.Cmd
	for range 4 {
		cmd := helper(t, "make", dir)
		must.OK(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	made := must.Value(os.ReadFile(filepath.Join(dir, "made")))(t)
	if n := len(strings.Fields(string(made))); n != helperEntries {
		t.Errorf("%d entries made, want %d", n, helperEntries)
	}
	c := openCache(t, dir)
	for i := range helperEntries {
		k, want := entryOf(i)
		if got, ok, err := c.Get(k); err != nil || !ok || !bytes.Equal(got, want) {
			t.Errorf("entry %d: %v %v", i, ok, err)
		}
	}
	if locks, _ := filepath.Glob(filepath.Join(dir, "*", "*.lock")); len(locks) > 0 {
		t.Errorf("left behind: %v", locks)
	}
}

// A writer that is killed leaves whole entries or none.
func TestKilledWriterDamagesNothing(t *testing.T) {
	c := newCache(t)
	dir := c.Dir()
	found := 0
	rounds := 4
	if testenv.IsLong(t) {
		rounds = 12
	}
	for round := range rounds {
		cmd := startHelper(t, "write", dir, 1+round)
		time.Sleep(time.Duration(round*100) * time.Microsecond) // where in its work it dies
		must.OK(t, cmd.Process.Kill())
		cmd.Wait()
		for i := range helperEntries {
			k, want := entryOf(i)
			got, ok, err := c.Get(k)
			if err != nil || ok && !bytes.Equal(got, want) {
				t.Fatalf("round %d, entry %d: %v", round, i, err)
			}
			if ok {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no entry was found")
	}
}

func TestLockIsReleasedByDeath(t *testing.T) {
	c := newCache(t)
	dir := c.Dir()
	k, _ := entryOf(0)
	cmd := startHelper(t, "hold", dir, 1)

	short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Lock(short, k); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock of another process: %v", err)
	}
	must.OK(t, cmd.Process.Kill())
	cmd.Wait()
	long, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	unlock := must.Value(c.Lock(long, k))(t)
	unlock()
}

// A maker that is killed between the entry and its lock's end leaves the lock, which goes when the entry is read.
// That of one who lives stays.
func TestLockOfAKilledMakerGoesWithTheEntry(t *testing.T) {
	c := newCache(t)
	dir := c.Dir()
	k, data := entryOf(0)
	cmd := startHelper(t, "hold", dir, 1)
	must.OK(t, c.Put(k, data))
	for _, want := range []int{1, 0} {
		if _, ok, err := c.Get(k); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if locks, _ := filepath.Glob(filepath.Join(dir, "*", "*.lock")); len(locks) != want {
			t.Errorf("%d locks, want %d", len(locks), want)
		}
		_ = cmd.Process.Kill() // or it has ended
		_ = cmd.Wait()
	}
}

func TestDamagedEntryIsReportedAndReplaced(t *testing.T) {
	c := newCache(t)
	testenv.Check(t, func(t *rapid.T) {
		k, _ := put(t, c, 0)
		raw := must.Value(os.ReadFile(c.path(k)))(t)
		at := rapid.IntRange(0, len(raw)-1).Draw(t, "place")
		if rapid.Bool().Draw(t, "truncate") {
			raw = raw[:at]
		} else {
			raw[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		must.OK(t, os.WriteFile(c.path(k), raw, 0o644))
		_, ok, err := c.Get(k)
		var damaged *DamagedError
		if ok || !errors.As(err, &damaged) || damaged.Key != k {
			t.Fatalf("ok %v, error %v", ok, err)
		}
		if aside, err := os.ReadFile(damaged.Aside); err != nil || !bytes.Equal(aside, raw) {
			t.Fatalf("set aside: %v", err)
		}
		if _, ok, err := c.Get(k); ok || err != nil {
			t.Fatalf("after it was set aside: %v %v", ok, err)
		}
	})
}

// An answer under the key of another request is never given out: by a rename, a copied file, or a bundle.
func TestAnEntryHoldsItsKey(t *testing.T) {
	c := newCache(t)
	a, _ := put(t, c, 0)
	b, data := put(t, c, 1)
	must.OK(t, os.Rename(c.path(b), c.path(a)))
	raw := must.Value(os.ReadFile(c.path(a)))(t)
	_, err := c.Peek(a)
	must.Fail(t, err, "belong to another key")
	_, err = c.Verify(a)
	must.Fail(t, err, "belong to another key")
	if _, ok, err := c.Get(a); ok || err != nil { // it was set aside
		t.Errorf("after it was set aside: %v %v", ok, err)
	}
	_, err = c.Import(t.Context(), bytes.NewReader(files(t,
		[]tar.Header{{Name: "bundle.json"}, {Name: "entries/" + a.String()}},
		[]string{`{"format": 1, "entries": []}`, string(raw)})), unlike)
	must.Fail(t, err, "belongs to another key")

	// Entries of version 0.1.0 did not hold their key: they are read, and written anew.
	must.OK(t, os.WriteFile(c.path(b), append(unboundHeader(data), data...), 0o644))
	reader := must.Value(Open(t.TempDir(), c.Dir()))(t) // which does not own it
	for _, from := range []*Cache{reader, c, c} {
		if got, ok, err := from.Get(b); string(got) != string(data) || !ok || err != nil {
			t.Errorf("an entry of version 0.1.0: %q, %v, %v", got, ok, err)
		}
		want := header(b, data)
		if from == reader {
			want = unboundHeader(data)
		}
		if now := must.Value(os.ReadFile(c.path(b)))(t); string(now) != string(want)+string(data) {
			t.Errorf("it became %q", now)
		}
	}
}

// A folder in which no cache can be written is a fault of the machine, whatever is to be done there.
func TestFolderThatCannotBeWrittenIsAFault(t *testing.T) {
	dir := t.TempDir()
	link, file, good := filepath.Join(dir, "link"), filepath.Join(dir, "file"), filepath.Join(dir, "good")
	must.OK(t, os.Symlink(filepath.Join(dir, "missing"), link))
	must.OK(t, os.WriteFile(file, nil, 0o644))
	c := must.Value(Open(good))(t)
	must.OK(t, os.Remove(filepath.Join(good, "tmp")))
	must.OK(t, os.WriteFile(filepath.Join(good, "tmp"), nil, 0o644))
	k, data := entryOf(1)
	_, lockErr := c.Lock(t.Context(), k)
	for what, err := range map[string]error{"put": c.Put(k, data), "lock": lockErr} {
		if !fault.Is(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, dir := range []string{link, file, filepath.Join(file, "below"), good} {
		if _, err := Open(dir); !fault.Is(err) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestLeftoversAreNoEntries(t *testing.T) {
	c := newCache(t)
	dir := c.Dir()
	k, data := put(t, c, 3)
	for name, age := range map[string]time.Duration{"old": 2 * staleAfter, "young": 0} {
		path := filepath.Join(c.tmp(), atomic.Prefix+name)
		must.OK(t, os.WriteFile(path, []byte("half"), 0o644))
		must.OK(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	c = openCache(t, dir)
	left, _ := filepath.Glob(filepath.Join(c.tmp(), "*"))
	if len(left) != 1 || !strings.HasSuffix(left[0], "young") {
		t.Errorf("left: %v", left)
	}
	entries, err := c.List()
	if err != nil || len(entries) != 1 || entries[0].Key != k {
		t.Fatalf("%v %v", entries, err)
	}
	if size := entries[0].Size; size <= int64(len(data)) {
		t.Errorf("size %d", size)
	}
	for range 2 { // the second time there is nothing to remove
		must.OK(t, c.Remove(k))
	}
	if _, ok, err := c.Get(k); ok || err != nil {
		t.Errorf("after removal: %v %v", ok, err)
	}
}

func TestKeysDependOnContentOnly(t *testing.T) {
	type boundary struct {
		Pt, Tt float64
		Name   string
	}
	key := func(v any) Key {
		t.Helper()
		return must.Value(NewKey(v))(t)
	}
	same := key(boundary{101325, 288.15, "fan"})
	if same != key(map[string]any{"Name": "fan", "Tt": 288.15, "Pt": 101325}) {
		t.Error("the same members in another order, or a whole number for a float, give another key")
	}
	if same == key(boundary{math.Nextafter(101325, 1e9), 288.15, "fan"}) {
		t.Error("the last bit of a number does not count")
	}
	if key(0.0) != key(math.Copysign(0, -1)) || key(int64(1<<60+1)) == key(int64(1<<60)) {
		t.Error("zeros differ, or large whole numbers do not")
	}
	if _, err := NewKey(math.NaN()); err == nil {
		t.Error("NaN makes a key")
	}
	if k, err := ParseKey(same.String()); err != nil || k != same {
		t.Errorf("%v %v", k, err)
	}
	if _, err := ParseKey("12"); err == nil {
		t.Error("a short key parses")
	}
}
