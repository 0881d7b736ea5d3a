//go:build unix

package process

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalGroup kills a shell with what it started, which Exists sees live and end.
func TestSignalGroup(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 100 & echo $!; wait")
	OwnGroup(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if !Exists(cmd.Process.Pid) || !Exists(grandchild) {
		t.Error("the processes do not exist")
	}
	if err := SignalGroup(cmd.Process, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("ended by %v", status)
	}
	for range 500 { // until the system's first process has asked how it ended
		if !running(grandchild) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
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
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("unix", path); !Refused(err) {
		t.Errorf("dead socket: %v", err)
	}
	if _, err := net.Dial("unix", path+"-missing"); err == nil || Refused(err) {
		t.Errorf("no socket: %v", err)
	}
}
