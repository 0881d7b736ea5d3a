package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A regression test of what the program prints as JSON: all examples without their
// zooms, and the E3 with its fan zoomed. Keys may be added; the others keep their bits.
func TestExamplesUnchanged(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../config/examples/*.yaml")
	if err != nil || len(files) < 17 {
		t.Fatalf("%d examples (%v)", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if slices.Contains([]string{zoomedExample, faultyExample, "openfoam-fan"}, name) {
			continue // tests of their own have them with their zooms
		}
		t.Run(name, func(t *testing.T) {
			if reason := slowExamples[name]; reason != "" {
				testenv.Long(t, reason)
			}
			var out string
			if name == "e3" {
				out = zoomed[name].run(t)
			} else {
				dir := t.TempDir()
				out = must.Value(verb(t, "run", file, "--json", "--no-zoom", "--cache", dir+"/cache", "--work",
					dir+"/work"))(t)
			}
			now := golden.Figures{}
			must.OK(t, now.AddJSON(name, []byte(out)))
			golden.Compare(t, filepath.Join("testdata", "stored", name+".gz"), now)
		})
	}
}

// zoomed are the examples that are run with their zooms, each once for all tests.
var zoomed = map[string]*zoomedRun{"e3": {name: "e3"}, zoomedExample: {name: zoomedExample},
	vaneExample: {name: vaneExample}}

type zoomedRun struct {
	name    string
	once    sync.Once
	out     string // JSON
	answers []byte // a bundle
}

// run returns what the example prints as JSON.
func (z *zoomedRun) run(t *testing.T) string {
	t.Helper()
	z.once.Do(func() {
		dir := t.TempDir()
		cache := filepath.Join(dir, "cache")
		file := filepath.Join("../../config/examples", z.name+".yaml")
		z.out = must.Value(verb(t, "run", file, "--json", "--cache", cache, "--work", filepath.Join(dir, "work")))(t)
		bundle := filepath.Join(dir, "answers.tar.gz")
		must.Value(verb(t, "cache", "export", bundle, "--cache", cache))(t)
		z.answers = must.Value(os.ReadFile(bundle))(t)
	})
	if z.answers == nil {
		t.Fatalf("example %s failed in another test", z.name)
	}
	return z.out
}

// copyAnswers writes the example's answers into a cache.
func (z *zoomedRun) copyAnswers(t *testing.T, cache string) {
	t.Helper()
	z.run(t)
	bundle := filepath.Join(t.TempDir(), "answers.tar.gz")
	must.OK(t, os.WriteFile(bundle, z.answers, 0o644))
	must.Value(verb(t, "cache", "import", bundle, "--cache", cache))(t)
}

// slowExamples are those that take seconds, by what takes them.
var slowExamples = map[string]string{
	"e3": "zooms three cases", "e3-climb": "a transient", "e3-bodie": "minutes of a transient",
	"e3-slam": "a transient", "turbojet-flameout": "a transient",
}
