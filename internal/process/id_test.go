package process

import (
	"os/exec"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func TestAliveKnowsTheProcessNotTheNumber(t *testing.T) {
	self := Self()
	if self.Mark == "" {
		testenv.NotHere(t, "no start times of processes")
	}
	if !self.Alive() || !(ID{PID: self.PID}).Alive() {
		t.Error("this very process is not alive")
	}
	if (ID{self.PID, self.Mark + "1"}).Alive() {
		t.Error("a process of another time was taken for this one")
	}
	cmd := exec.Command("true")
	must.OK(t, cmd.Start())
	other := Identify(cmd.Process.Pid)
	must.OK(t, cmd.Wait())
	if other.Alive() || (ID{}).Alive() || (ID{PID: -1}).Alive() {
		t.Error("what has ended is alive")
	}
	if err := other.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	Kill(other) // must not hit anybody
}
