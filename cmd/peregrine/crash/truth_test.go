//go:build linux

package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// What a study gives that nothing disturbs, and how to read it: the answer and the cache.

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
	out := &truth{took: time.Since(began), answer: t.answer(c), entries: t.entries(), maps: t.maps(),
		stored: map[string][]byte{}}
	if len(out.entries) < solverRuns || len(out.maps) != 1 || t.mostStarts() != 1 {
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
		Engine   string           `json:"engine"`
		Cases    []map[string]any `json:"cases"`
		Warnings []map[string]any `json:"warnings"`
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
	return string(must.Value(json.MarshalIndent(all, "", " "))(t))
}

// history are the keys of a cache entry that say where and when it was made. The verdict of the rules has the run's
// time and attempt, and a run that was not seen whole has none.
var history = []string{"study", "component", "run", "folder", "wall_ns", "made", "host", "maker", "request",
	"verdict"}

// entries returns the hashes of what the entries of the cache answer, by key.
func (t *trial) entries() map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range must.Value(filepath.Glob(filepath.Join(t.cache(), "??", "*")))(t) {
		name := filepath.Base(file)
		if len(name) != 2*sha256.Size {
			continue // a lock
		}
		header, data, _ := strings.Cut(string(t.read(file)), "\n")
		key := must.Value(hex.DecodeString(name))(t)
		want := fmt.Sprintf("peregrine-cache 2 %s %d %x", name, len(data), sha256.Sum256(append(key, data...)))
		if header != want {
			t.Errorf("cache entry %s has the header %q, want %q", file, header, want)
		}
		var entry map[string]json.RawMessage
		if err := json.Unmarshal([]byte(data), &entry); err != nil {
			t.Errorf("cache entry %s: %v", file, err)
		}
		for _, key := range history {
			delete(entry, key)
		}
		found[name] = hash(must.Value(json.Marshal(entry))(t))
	}
	return found
}

// maps returns the hashes of the stored maps by file.
func (t *trial) maps() map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range must.Value(filepath.Glob(filepath.Join(t.cache(), "maps", "*")))(t) {
		found[filepath.Base(file)] = hash(t.read(file))
	}
	return found
}

func hash(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func (t *trial) read(file string) []byte {
	t.Helper()
	return must.Value(os.ReadFile(file))(t)
}

// begin puts some of a truth's entries into the trial's empty cache.
func (t *trial) begin(want *truth, rng *rand.Rand) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want.stored)) {
		if file := filepath.Join(t.cache(), name); rng.IntN(2) == 0 {
			must.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must.OK(t, os.WriteFile(file, want.stored[name], 0o644))
		}
	}
}
