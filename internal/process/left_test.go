package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// What a process leaves that has ended goes; what is of one that lives, of another machine, or of anybody else stays.
func TestRemoveLeft(t *testing.T) {
	self := process.Self()
	if self.Mark == "" {
		testenv.NotHere(t, "no start times of processes")
	}
	child := exec.Command(os.Args[0], "-test.run=^$")
	must.OK(t, child.Run())
	dead := process.ID{PID: child.Process.Pid, Mark: self.Mark}
	before := process.ID{PID: self.PID, Mark: "earlier, of the same number"}
	stay := []string{"x-" + self.Tag() + "-1", "x-1-00000000-00000000-7", "x-y", "x-", "y-" + dead.Tag() + "-1",
		"x-" + dead.Tag()}
	dir := t.TempDir()
	for _, name := range append(stay, "x-"+dead.Tag()+"-1", "x-"+dead.Tag()+"-2-old", "x-"+before.Tag()+"-3") {
		must.OK(t, os.MkdirAll(filepath.Join(dir, name, "within"), 0o700))
	}
	process.RemoveLeft(dir, "x-")
	left := map[string]bool{}
	entries := must.Value(os.ReadDir(dir))(t)
	for _, e := range entries {
		left[e.Name()] = true
	}
	want := map[string]bool{}
	for _, name := range stay {
		want[name] = true
	}
	must.Equal(t, want, left)
}
