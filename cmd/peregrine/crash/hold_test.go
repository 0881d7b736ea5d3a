//go:build linux

package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What must hold after a fault: the answer, the cache and the number of runs.

// truth is what a study gives that nothing disturbs.
type truth struct {
	answer  string            // of --json
	entries map[string]string // of the cache: hash of what a solver answered, by key
	maps    map[string]string // hash of a stored map, by file
	stored  map[string][]byte // the entries as they stand in the cache, by file
	took    time.Duration
	used    int64 // bytes on disk
	largest int64 // bytes of the largest file
}

// undisturbed makes a study, and returns what it gives.
func (t *trial) undisturbed() *truth {
	t.Helper()
	began := time.Now()
	c := t.start(study)
	if code, by := t.exit(c); code != 0 {
		t.Fatalf("an undisturbed study ended with %d %v\n%s", code, by, c.log.String())
	}
	out := &truth{took: time.Since(began), answer: t.answer(c), entries: t.entries(), maps: t.maps(), stored: map[string][]byte{}}
	if len(out.entries) != solverRuns || len(out.maps) != 1 || t.mostStarts() != 1 {
		t.Fatalf("%d entries, %d maps, a run was started %d times", len(out.entries), len(out.maps), t.mostStarts())
	}
	out.used, out.largest = t.used()
	for key := range out.entries {
		file := filepath.Join(key[:2], key)
		out.stored[file] = t.read(filepath.Join(t.cache(), file))
	}
	return out
}

// study is the name of the study that is disturbed and taken up.
const study = "s"

// counts are the keys of --json that say how an answer was had, not what it is.
var counts = []string{"runs", "cached"}

// answer returns what a command answered, without how it was had.
func (t *trial) answer(c *command) string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(c.out.Bytes()))
	dec.UseNumber() // keeps every digit
	var all struct {
		Engine string           `json:"engine"`
		Cases  []map[string]any `json:"cases"`
	}
	if err := dec.Decode(&all); err != nil {
		t.Errorf("%v in %.300q", err, c.out.String())
		return ""
	}
	for _, one := range all.Cases {
		zooms, _ := one["zoom"].(map[string]any)
		for _, z := range zooms {
			for _, key := range counts {
				delete(z.(map[string]any), key)
			}
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// history are the keys of a cache entry that say where and when it was made.
var history = []string{"study", "run", "folder", "wall_ns"}

// entries returns the hashes of what the entries of the cache answer, by key.
func (t *trial) entries() map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(t.cache(), "??", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if len(name) != 2*sha256.Size {
			continue // a lock
		}
		header, data, _ := strings.Cut(string(t.read(file)), "\n")
		if want := fmt.Sprintf("peregrine-cache 1 %d %x", len(data), sha256.Sum256([]byte(data))); header != want {
			t.Errorf("cache entry %s has the header %q, want %q", file, header, want)
		}
		var entry map[string]json.RawMessage
		if err := json.Unmarshal([]byte(data), &entry); err != nil {
			t.Errorf("cache entry %s: %v", file, err)
		}
		for _, key := range history {
			delete(entry, key)
		}
		text, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = hash(text)
	}
	return found
}

// maps returns the hashes of the stored maps by file.
func (t *trial) maps() map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(t.cache(), "maps", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		found[filepath.Base(file)] = hash(t.read(file))
	}
	return found
}

func hash(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func (t *trial) read(file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// begin puts some of a truth's entries into the trial's empty cache.
func (t *trial) begin(entries map[string][]byte) {
	t.Helper()
	for file, data := range entries {
		file = filepath.Join(t.cache(), file)
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// mostStarts is how often that run was started that was started most often. A run's folder has its key
// before its solver starts.
func (t *trial) mostStarts() int {
	t.Helper()
	most, starts := 0, map[string]int{}
	err := filepath.WalkDir(t.work(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "key.json" {
			key := string(t.read(path))
			starts[key]++
			most = max(most, starts[key])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return most
}

// holds holds that a command answered as it must.
func (t *trial) holds(c *command, want *truth) bool {
	t.Helper()
	code, by := t.exit(c)
	if code != 0 {
		t.Errorf("it ended with %d %v", code, by)
		return false
	}
	diff := cmp.Diff(want.answer, t.answer(c))
	if diff != "" {
		t.Errorf("the answer differs:\n%s", diff)
	}
	return diff == ""
}

// kept holds that the cache has what it must.
func (t *trial) kept(want *truth) bool {
	t.Helper()
	diff := cmp.Diff(want.entries, t.entries()) + cmp.Diff(want.maps, t.maps())
	if diff != "" {
		t.Errorf("the cache differs:\n%s", diff)
	}
	return diff == ""
}

// some returns some of the entries.
func (w *truth) some(rng *rand.Rand) map[string][]byte {
	some := map[string][]byte{}
	for _, file := range slices.Sorted(maps.Keys(w.stored)) {
		if rng.IntN(2) == 0 {
			some[file] = w.stored[file]
		}
	}
	return some
}

// after holds what must hold for the command that was disturbed.
func (t *trial) after(c *command, f fault, want *truth) bool {
	t.Helper()
	code, by := t.exit(c)
	switch {
	case code == 0 || f.victim.survived():
		return t.holds(c, want)
	case f.signal == syscall.SIGKILL && by == f.signal: // it is the victim
	case f.signal != syscall.SIGKILL && (code == interrupted || by == f.signal): // by itself before it could hear signals
	default:
		t.Errorf("after the fault it ended with %d %v", code, by)
		return false
	}
	return true
}

// Exit codes of peregrine.
const (
	machineFault = 70
	interrupted  = 130
)
