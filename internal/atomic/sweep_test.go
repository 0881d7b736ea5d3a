package atomic

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// The files of a process that has ended go; those of one that lives, of another machine, and of anybody else stay.
func TestSweep(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	self := process.Self()
	dead := process.ID{PID: child.Process.Pid, Mark: self.Mark}
	before := process.ID{PID: self.PID, Mark: "earlier, of the same number"}
	elsewhere := Prefix + "1-00000000-00000000-7"
	dir := t.TempDir()
	for _, name := range []string{nameOf(dead) + "1", nameOf(before) + "2", nameOf(self) + "3", elsewhere, Prefix + "x", "file"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(dir)
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if self.Mark == "" { // where processes of one number are not told apart
		t.Skip("processes have no mark on this system")
	}
	if diff := cmp.Diff([]string{elsewhere, nameOf(self) + "3", Prefix + "x", "file"}, left); diff != "" {
		t.Error(diff)
	}
}
