package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// forks starts processes all the time, in shells that do as well, but not for ever.
const forks = `many() { n=0; while [ $n -lt 400 ]; do sleep 1234.5 & n=$((n+1)); done; wait; }; many & many & many`

// forked are the processes that the test program has started and that run.
func forked(t *testing.T) (found []ID) {
	t.Helper()
	entries := must.Value(Table())(t)
	for _, e := range entries {
		line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(e.PID), "cmdline"))
		if bytes.Contains(line, []byte("sleep\x001234.5")) || bytes.Contains(line, []byte("sleep 1234.5")) {
			found = append(found, e.ID)
		}
	}
	return found
}

// Nobody is left of a tree that grows while it is ended, though the process table is read seldom. Where SIGHUP is
// ignored, as under nohup, the kernel wakes a group that was stopped when the process dies that ties it to its
// session.
func TestKillWhatForks(t *testing.T) {
	for name, script := range map[string]string{"at a terminal": forks, "under nohup": "trap '' HUP; " + forks} {
		t.Run(name, func(t *testing.T) { killForks(t, script) })
	}
}

func killForks(t *testing.T, script string) {
	cmd := exec.Command("sh", "-c", script)
	OwnGroup(cmd)
	must.OK(t, cmd.Start())
	defer func() {
		_ = SignalGroup(cmd.Process, syscall.SIGKILL)
		_ = cmd.Wait()
	}()
	var old []Entry
	tree := NewTree(Allowance{}, func(latest bool) (entries []Entry, err error) {
		if latest || old == nil {
			old, err = Table()
		}
		return old, err
	})
	tree.Add(cmd.Process.Pid)
	tree.Full() // from here on only the latest table shows more
	for len(forked(t)) < 5 {
		rest()
	}
	tree.Kill()
	if left := forked(t); len(left) > 0 {
		t.Errorf("%d are left", len(left))
	}
}

// A member that has ended does not hide whom it has started, once there was a look.
func TestLookKnowsChildren(t *testing.T) {
	child := Entry{ID: ID{PID: 3, Mark: "c"}, Parent: 2, Resident: 5}
	table := []Entry{
		{ID: ID{PID: 2, Mark: "p"}, Parent: 1, Resident: 7}, child,
		{ID: ID{PID: 4, Mark: "o"}, Parent: 1, Resident: 100},
	}
	tree := NewTree(Allowance{Memory: 5}, func(bool) ([]Entry, error) { return table, nil })
	tree.known[2] = table[0].ID
	if !tree.Full() {
		t.Error("12 of 5 bytes are not too many")
	}
	child.Parent = 1
	table = []Entry{child, table[2]}
	if tree.Full() || tree.known[3] != child.ID || len(tree.known) != 1 {
		t.Errorf("it knows %v", tree.known)
	}
}
