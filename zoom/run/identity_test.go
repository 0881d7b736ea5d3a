package run

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestAliveKnowsTheProcessNotTheNumber(t *testing.T) {
	mark, _ := startMark(os.Getpid())
	if mark == "" {
		t.Skip("no /proc on this system")
	}
	if !alive(os.Getpid(), mark) || !alive(os.Getpid(), "") {
		t.Error("this very process is not alive")
	}
	if alive(os.Getpid(), mark+"1") {
		t.Error("a process of another time was taken for this one")
	}
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	other, _ := startMark(pid)
	if strings.Split(other, "/")[0] != strings.Split(mark, "/")[0] {
		t.Errorf("two processes of one boot have marks %q and %q", mark, other)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if alive(pid, other) || alive(0, "") || alive(-1, "") {
		t.Error("what has ended is alive")
	}
}
