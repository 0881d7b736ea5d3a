package main

import (
	"path/filepath"
	"slices"
	"strings"
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
		if slices.Contains([]string{zoomedExample, faultyExample, openfoamExample}, name) {
			continue // tests of their own have them with their zooms
		}
		t.Run(name, func(t *testing.T) {
			if reason := slowExamples[name]; reason != "" {
				testenv.Long(t, reason)
			}
			dir := t.TempDir()
			args := []string{"run", file, "--json", "--cache", filepath.Join(dir, "cache"), "--work", filepath.Join(dir, "work")}
			if name != "e3" {
				args = append(args, "--no-zoom")
			}
			out, err := verb(t, args...)
			must.OK(t, err)
			now := golden.Figures{}
			must.OK(t, now.AddJSON(name, []byte(out)))
			golden.Compare(t, filepath.Join("testdata", "stored", name+".gz"), now)
		})
	}
}

// slowExamples are those that take seconds, by what takes them.
var slowExamples = map[string]string{
	"e3": "zooms three cases", "e3-climb": "a transient", "e3-bodie": "minutes of a transient", "e3-slam": "a transient", "turbojet-flameout": "a transient",
}
