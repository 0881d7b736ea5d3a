package study

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Folders and files of tests.

// coarseFan is the mesh of a fan by throughflow on which a run takes a tenth of a second.
const coarseFan = "cells_z: 64, cells_r: 16"

// examplesFolder returns a folder with a copy of the shipped examples in examples/.
func examplesFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must.OK(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../../config/examples")))
	return dir
}

// e3With returns a folder with the examples, in which the zoom of the E3's fan has other keys and the edits are made.
func e3With(t *testing.T, keys string, edits ...string) (dir string) {
	t.Helper()
	dir = examplesFolder(t)
	replaceIn(t, filepath.Join(dir, "examples", "e3.yaml"),
		append([]string{"geometry/e3-fan.yaml}", "geometry/e3-fan.yaml, " + keys + "}"}, edits...)...)
	return dir
}

// replaceIn replaces texts of a file by others, given in pairs. Each must be there.
func replaceIn(t *testing.T, file string, pairs ...string) {
	t.Helper()
	text := programtest.Read(t, file)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s has no %q", file, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	programtest.Write(t, file, text)
}
