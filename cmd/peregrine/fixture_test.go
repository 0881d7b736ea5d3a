package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Folders and files of tests.

// coarseFan is the mesh of a fan by throughflow on which a run takes a tenth of a second.
const coarseFan = "cells_z: 64, cells_r: 16"

// examplesFolder returns a folder with a copy of the shipped examples in examples/.
func examplesFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must.OK(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../config/examples")))
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
	text := readFile(t, file)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s has no %q", file, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	writeFile(t, file, text)
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text := must.Value(os.ReadFile(file))(t)
	return string(text)
}

// writeFile writes a text file, whose folder is made.
func writeFile(t *testing.T, file, text string) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must.OK(t, os.WriteFile(file, []byte(text), 0o644))
}

// patience is far beyond what anything here takes.
const patience = time.Minute

// comes waits for something to become so, and reports whether it does.
func comes(is func() bool) bool {
	for end := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// programNamed returns a path of this test's executable that ends in a name, by which TestMain chooses what it is.
func programNamed(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	linkProgram(t, program)
	return program
}

func linkProgram(t *testing.T, program string) {
	t.Helper()
	exe := must.Value(os.Executable())(t)
	must.OK(t, os.Symlink(exe, program))
}
