package process

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Control groups lie beside each other, also if they are made while commands are started in others: with version 1 a
// command starts from a thread in its group, which may be this process's first one.
func TestGroupsMadeBesideStarts(t *testing.T) {
	probe, err := NewCage("probe", Allowance{})
	if err != nil {
		testenv.NotHere(t, "no control groups can be made")
	}
	probe.Close()
	var makers sync.WaitGroup
	for i := range 8 {
		makers.Go(func() {
			for k := range 25 {
				c, err := NewCage(fmt.Sprintf("beside-%d-%d", i, k), Allowance{Processes: 8})
				if err != nil {
					t.Error(err)
					return
				}
				for _, dir := range c.(*group).dirs {
					if strings.Count(dir, cagePrefix) > 1 {
						t.Errorf("%s is in the group of another command", dir)
					}
				}
				cmd, err := c.Start(exec.Command("true"))
				if err == nil {
					err = cmd.Wait()
				}
				if err != nil {
					t.Error(err)
				}
				c.Kill()
				c.Close()
			}
		})
	}
	makers.Wait()
}

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
