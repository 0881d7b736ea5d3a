package run_test

// What a study must not leave behind: processes, sockets, scratch folders.

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
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

// A study of many runs must not use up the host: its goroutines and open files
// are back where they were.
func TestNothingLeaksInTheHost(t *testing.T) {
	p := newPool(t)
	p.Limits.Hung, p.Limits.Grace = 150*time.Millisecond, 50*time.Millisecond
	run := func(name string) {
		t.Helper()
		if _, err := p.Run(context.Background(), []run.Job{
			job(name+"good", 1, "iterate 3"), job(name+"crash", 1, "crash"), job(name+"hang", 1, "deaf; hang"),
		}); err != nil {
			t.Fatal(err)
		}
	}
	run("first") // what the libraries make once
	goroutines, files := settle(0, 0)
	run("second")
	if g, f := settle(goroutines, files); g > goroutines || f > files {
		t.Errorf("%d goroutines and %d files after one round, %d and %d after two", goroutines, files, g, f)
	}
}

// settle waits until there are at most so many goroutines and files, or their numbers have not changed for a third of a
// second, and returns how many there are.
func settle(goroutines, files int) (g, f int) {
	for same := 0; same < 15; same++ {
		time.Sleep(20 * time.Millisecond)
		was, had := g, f
		g, f = runtime.NumGoroutine(), len(entries("/proc/self/fd"))
		if g <= goroutines && f <= files {
			break
		}
		if g != was || f != had {
			same = 0
		}
	}
	return g, f
}

// A process that left the plugin's group and holds its output must not hold up
// the study.
func TestDaemonHoldsUpNothing(t *testing.T) {
	p, mark := newPool(t), newMark()
	// of its own: where nothing ends it, the daemon is left
	p.Program.Environment = append(p.Program.Environment, markEnv+"="+mark)
	p.Program.Command = []string{"/bin/sh", "-c", `setsid sleep 300 & exec "$0"`, p.Program.Command[0]}
	t.Cleanup(func() {
		for _, left := range marked(mark) {
			pid, _ := strconv.Atoi(strings.Fields(left)[0])
			process.Kill(process.Identify(pid))
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := p.Run(ctx, []run.Job{job("a", 2, "crash")})
	if err != nil || out[0].Class != event.Crashed {
		t.Fatal(err, out[0].Class)
	}
}
