//go:build linux

package crash

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// What befalls the machine on which a study goes on.

// hostFaults are the faults of machines; each trial has one.
var hostFaults = []func(*suite, *testing.T, int){(*suite).freeze, (*suite).setClock, (*suite).starve, (*suite).versions}

// host makes a trial.
func (s *suite) host(t *testing.T, n int) {
	hostFaults[n%len(hostFaults)](s, t, n/len(hostFaults))
}

// limited is a study whose runs may be silent for shorter than freeze lasts.
var limited = kind{"limited", "throughflow", "runs: 3, limits: {no_progress: 8 s}", "cells_z: 64, cells_r: 16"}

// freeze stops all processes of a study, as a laptop that is closed does, for longer than its runs may be silent; in
// soak tests longer than the minute after which a rule ends them.
func (s *suite) freeze(t *testing.T, _ int) {
	rng := s.draw(t)
	want := s.truths[kinds[0]]
	while := 10 * time.Second
	if testenv.IsSoak() {
		while = 65 * time.Second
	}
	for i := range tries {
		tr := newTrial(t, s.shop, limited)
		c := tr.start(study)
		after := share(rng, want.took*time.Duration(tries-i)/tries)
		c.sleepUntil(time.Now().Add(after))
		tr.signalAll(syscall.SIGSTOP)
		hit := !c.ended()
		if hit {
			t.Logf("stopped for %v after %v", while, after)
			time.Sleep(while)
		}
		tr.signalAll(syscall.SIGCONT)
		same := tr.holds(c, want)
		if !hit {
			tr.discard()
			continue
		}
		if starts := tr.mostStarts(); starts > 1 {
			t.Errorf("a run was started %d times", starts)
		}
		same = tr.holds(tr.start(study), want) && same
		s.count(tr, "SIGSTOP of all processes, then SIGCONT", tr.kept(want) && same)
		return
	}
	t.Errorf("%d faults came too late", tries)
}

// signalAll signals all processes of the trial, also those that start meanwhile.
func (t *trial) signalAll(signal syscall.Signal) {
	t.Helper()
	for range 3 {
		for _, p := range t.processes() {
			_ = syscall.Kill(p.pid, signal) // or it has just ended
		}
	}
}

// starve lets the kernel kill processes of a study for lack of memory, as in a job of a queueing system. Its runs may
// fail for it, and are made again when there is room.
func (s *suite) starve(t *testing.T, n int) {
	rng := s.draw(t)
	k := kinds[n%len(kinds)]
	want := s.truths[k]
	tr := newTrial(t, s.shop, k)
	group := tr.memoryGroup()
	if group == "" {
		testenv.NotHere(t, "no control group for memory can be made")
	}
	limit := 20<<20 + rng.Int64N(80<<20)
	must.OK(t, os.WriteFile(group, []byte(strconv.FormatInt(limit, 10)), 0))
	c := tr.start(study)
	must.OK(t, os.WriteFile(filepath.Join(filepath.Dir(group), "cgroup.procs"), []byte(strconv.Itoa(c.pid())), 0))
	code, by := tr.exit(c)
	t.Logf("%s in %d MB: ended with %d %v", k.name, limit>>20, code, by)
	same := true
	switch {
	case code == 0 && !bytes.Contains(c.out.Bytes(), []byte(`"zoom_runs_failed"`)):
		same = tr.holds(c, want)
	case code == 0, code == 3, code == machineFault, by == syscall.SIGKILL:
	default:
		t.Errorf("it ended with %d %v", code, by)
	}
	tr.gone(tr.living) // or the next command meets processes in the group
	same = tr.holds(tr.start(study), want) && same
	s.count(tr, "killed for memory by the kernel", tr.kept(want) && same)
}

// memoryGroup makes a control group, which is removed after the test, and returns the file with its limit of memory;
// empty: none can be made.
func (t *trial) memoryGroup() string {
	t.Helper()
	for _, dir := range groups() {
		group := filepath.Join(dir, filepath.Base(t.dir))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		for _, name := range []string{"memory.max", "memory.limit_in_bytes"} { // of versions 2 and 1: cgroups(7)
			if limit := filepath.Join(group, name); t.there(limit) {
				t.Cleanup(func() {
					t.killAll()
					if t.gone(t.living) {
						must.OK(t, os.Remove(group))
					}
				})
				return limit
			}
		}
		must.OK(t, os.Remove(group))
	}
	return ""
}
