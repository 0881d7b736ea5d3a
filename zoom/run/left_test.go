package run_test

// What a study must not leave behind: processes, sockets, scratch folders.

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const markEnv = "PEREGRINE_TEST_MARK"

func newMark() string { return rand.Text() }

// marked returns the processes whose environment has the mark: the plugins
// of one test and all that they started, whoever is their parent now.
func marked(mark string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, []byte(markEnv+"="+mark)) {
			continue
		}
		if filepath.Base(dir) == fmt.Sprint(os.Getpid()) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(name) > 0 { // a zombie has none
			found = append(found, filepath.Base(dir)+" "+string(bytes.ReplaceAll(name, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// noneLeft waits for the processes with that mark to end.
func noneLeft(t *testing.T, mark string, within time.Duration) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		if left = marked(mark); len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("processes left: %q", left)
			return
		}
	}
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// entries returns the names in a folder.
func entries(dir string) []string {
	var names []string
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
