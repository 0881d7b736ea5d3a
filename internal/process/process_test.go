//go:build unix

package process

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// TestSignalGroup kills a shell with what it started, which Exists sees live and AwaitGroup sees end.
func TestSignalGroup(t *testing.T) {
	cmd := exec.Command("sh", "-c", "for n in $(seq 50); do sleep 100 & done; echo $!; wait")
	OwnGroup(cmd)
	out := must.Value(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	line := must.Value(bufio.NewReader(out).ReadString('\n'))(t)
	grandchild := must.Value(strconv.Atoi(strings.TrimSpace(line)))(t)
	if !Exists(cmd.Process.Pid) || !Exists(grandchild) {
		t.Error("the processes do not exist")
	}
	must.OK(t, SignalGroup(cmd.Process, syscall.SIGKILL))
	_ = cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("ended by %v", status)
	}
	AwaitGroup(cmd.Process)
	if Exists(cmd.Process.Pid) || running(grandchild) {
		t.Error("the processes still run")
	}
}

// running reports whether the process runs, if need be by what Linux says: where the
// first process asks for nobody, the ended ones keep their numbers.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return Exists(pid) && (err != nil || !strings.Contains(string(stat), ") Z "))
}

func TestExists(t *testing.T) {
	if !Exists(os.Getpid()) || Exists(0) || Exists(-1) {
		t.Error("wrong about this process, or about no process")
	}
}

func TestRefused(t *testing.T) {
	path := testenv.Socket(t)
	l := must.Value(net.ListenUnix("unix", &net.UnixAddr{Name: path}))(t)
	l.SetUnlinkOnClose(false)
	must.OK(t, l.Close())
	if _, err := net.Dial("unix", path); !Refused(err) {
		t.Errorf("dead socket: %v", err)
	}
	if _, err := net.Dial("unix", path+"-missing"); err == nil || Refused(err) {
		t.Errorf("no socket: %v", err)
	}
}
