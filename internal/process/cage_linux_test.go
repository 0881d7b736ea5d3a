package process

import (
	"errors"
	"os/exec"
	"testing"
)

// A process that could be brought into no control group runs, and Start says where. A folder that is
// no control group stands for one that takes nobody.
func TestOutsideOfItsCage(t *testing.T) {
	g := &group{dirs: []string{t.TempDir()}}
	cmd, err := g.Start(exec.Command("sleep", "100"))
	var outside *OutsideError
	if !errors.As(err, &outside) {
		t.Errorf("%v", err)
	}
	if cmd.Process == nil || !Exists(cmd.Process.Pid) {
		t.Fatal("it does not run")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := g.Start(exec.Command("/nonexistent/program")); err == nil || errors.As(err, &outside) {
		t.Errorf("no such program: %v", err)
	}
}
