//go:build linux

package crash

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// A trial has folders of its own, so that what it leaves can be seen, and commands that work in them.

// trial is one study, disturbed once.
type trial struct {
	*testing.T
	shop    *shop
	kind    kind
	dir     string       // short: a socket's path has a limit
	more    []string     // arguments of its commands
	program string       // that its commands start
	last    atomic.Int64 // process of the last study's command
	mu      sync.Mutex
	pids    []int // of its commands
}

func newTrial(t *testing.T, s *shop, k kind) *trial {
	t.Helper()
	dir := must.Value(os.MkdirTemp("", "crash"))(t)
	tr := &trial{T: t, shop: s, kind: k, dir: dir, program: s.program()}
	t.Cleanup(func() {
		if _, err := os.Stat(dir); err == nil && t.Failed() {
			tr.killAll()
			t.Logf("its folders are kept in %s", dir)
			return
		}
		tr.discard()
	})
	tr.folders()
	return tr
}

// discard ends the trial's processes, if any are left, and removes its folders.
func (t *trial) discard() {
	t.Helper()
	t.killAll()
	if err := os.RemoveAll(t.dir); err != nil {
		t.Error(err)
	}
}

// folders makes the trial's folders.
func (t *trial) folders() {
	t.Helper()
	for _, dir := range []string{t.work(), t.cache(), t.tmp()} {
		must.OK(t, os.MkdirAll(dir, 0o755))
	}
}

func (t *trial) work() string  { return filepath.Join(t.dir, "w") }
func (t *trial) cache() string { return filepath.Join(t.dir, "c") }
func (t *trial) tmp() string   { return filepath.Join(t.dir, "t") }

// command is one call of peregrine.
type command struct {
	cmd      *exec.Cmd
	out, log bytes.Buffer
	done     chan struct{} // closed when it has ended
	err      error         // of Wait
}

// patience is far beyond what a study takes, also on a machine with other work.
const patience = 5 * time.Minute

// start begins the command of a study.
func (t *trial) start(study string) *command {
	t.Helper()
	args := []string{"run", t.shop.engine(t.kind), "--solvers", t.shop.solvers(), "--json", "--workers", "2",
		"--study", study, "--work", t.work(), "--cache", t.cache()}
	c := t.call(append(args, t.more...)...)
	t.last.Store(int64(c.pid()))
	return c
}

// call begins a command line of peregrine. It is the leader of a process group, as in a shell. If the test fails, what
// it said is logged.
func (t *trial) call(args ...string) *command {
	t.Helper()
	c := &command{done: make(chan struct{})}
	c.cmd = exec.Command(t.program, args...)
	c.cmd.Env = append(os.Environ(), t.mark(), "HOME="+t.dir, "XDG_CONFIG_HOME=")
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.log
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.WaitDelay = time.Second // for a process that lives on with our pipes
	must.OK(t, c.cmd.Start())
	t.mu.Lock()
	t.pids = append(t.pids, c.pid())
	t.mu.Unlock()
	go func() { // ends with the process, which killAll sees to
		c.err = c.cmd.Wait()
		close(c.done)
	}()
	t.Cleanup(func() {
		if t.Failed() && c.ended() && c.log.Len() > 0 {
			t.Logf("process %d, %s, printed\n%s", c.pid(), args[:2], c.log.String())
		}
	})
	return c
}

func (c *command) pid() int { return c.cmd.Process.Pid }

// ended reports whether the command has ended.
func (c *command) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// exit waits for the command's end and returns its exit code, or -1 and the signal that ended it.
func (t *trial) exit(c *command) (code int, by syscall.Signal) {
	t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		t.Fatalf("it hangs: not ended after %v\n%s", patience, c.log.String())
	}
	if c.err != nil && c.cmd.ProcessState == nil {
		t.Fatal(c.err)
	}
	if errors.Is(c.err, exec.ErrWaitDelay) {
		t.Errorf("a process of the study holds the pipes of its command, which has ended")
	}
	status := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -1, status.Signal()
	}
	return status.ExitStatus(), 0
}
