//go:build linux

package crash

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// What must hold after a fault: the answer, the cache and the number of runs are as without it.

// mostStarts is how often that run was started that was started most often. A run's folder has its key
// before its solver is given the request.
func (t *trial) mostStarts() int {
	t.Helper()
	most, starts := 0, map[string]int{}
	err := filepath.WalkDir(t.work(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == plugin.EventsFile {
			record, err := record.Read(filepath.Dir(path))
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			starts[record.Key]++
			most = max(most, starts[record.Key])
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

// after holds what must hold for the command that was disturbed.
func (t *trial) after(c *command, f fault, want *truth) bool {
	t.Helper()
	code, by := t.exit(c)
	switch {
	case code == 0 || f.victim.survived():
		return t.holds(c, want)
	case f.signal == syscall.SIGKILL && by == f.signal: // it is the victim
	case f.signal != syscall.SIGKILL && (code == interrupted || by == f.signal):
		// by itself before it could hear signals
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
