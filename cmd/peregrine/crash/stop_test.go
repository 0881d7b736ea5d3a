//go:build linux

package crash

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// A process that is stopped while it holds the lock of a run: whoever needs that run waits, and says for whom.

// stop stops an executive, lets another one make the same study, and lets the first go on once the second has said
// what it waits for. In every other trial the first is killed instead.
func (s *suite) stop(t *testing.T, n int) {
	rng := s.draw(t)
	k := kinds[n/2%len(kinds)]
	want := s.truths[k]
	tr := newTrial(t, s.shop, k)
	first := tr.start(study)
	if !tr.stopWithLock(first, rng, want.took) {
		t.Fatal("it ended before it could be stopped with a lock")
	}
	second := tr.start("second")
	began := time.Now()
	says := regexp.MustCompile(`waits for process \d+, which is stopped`)
	said := func() bool {
		text, _ := os.ReadFile(filepath.Join(tr.work(), "second", "study.jsonl"))
		return says.Match(text)
	}
	for !said() && time.Since(began) < quiet {
		time.Sleep(20 * time.Millisecond)
	}
	if !said() {
		t.Errorf("after %v the second command has not said for whom it waits", quiet)
	}
	sort, end, same := "SIGSTOP of a holder of a lock, then SIGCONT", syscall.SIGCONT, true
	if n%2 == 1 {
		sort, end = "SIGSTOP of a holder of a lock, then SIGKILL", syscall.SIGKILL
	}
	must.OK(t, syscall.Kill(first.pid(), end))
	if end == syscall.SIGKILL {
		same = tr.after(first, fault{victim: executiveAlone, signal: end}, want)
		first = tr.start(study)
	}
	for _, c := range []*command{first, second} {
		same = tr.holds(c, want) && same
	}
	s.count(tr, sort, tr.kept(want) && same)
}

// quiet is the time in which who waits must have said so. It does after five seconds, on a machine with nothing else
// to do.
const quiet = time.Minute

// stopWithLock stops a command at a moment at which it holds a lock.
func (t *trial) stopWithLock(c *command, rng *rand.Rand, whole time.Duration) bool {
	t.Helper()
	if !c.sleepUntil(time.Now().Add(share(rng, whole/2))) {
		return false
	}
	for !c.ended() {
		if err := syscall.Kill(c.pid(), syscall.SIGSTOP); err != nil {
			return false
		}
		if t.holdsLock(c.pid()) {
			return true
		}
		_ = syscall.Kill(c.pid(), syscall.SIGCONT) // or it has ended
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// holdsLock reports whether a process has signed a lock of the cache.
func (t *trial) holdsLock(pid int) bool {
	t.Helper()
	locks, _ := filepath.Glob(filepath.Join(t.cache(), "??", "*.lock")) // the pattern is right
	for _, lock := range locks {
		text, _ := os.ReadFile(lock)
		var by struct {
			PID int `json:"pid"`
		}
		if json.NewDecoder(strings.NewReader(string(text))).Decode(&by) == nil && by.PID == pid {
			return true
		}
	}
	return false
}
