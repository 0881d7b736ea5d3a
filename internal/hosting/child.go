package hosting

// The process itself, as go-plugin wants to run it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin/runner"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// child runs a command for go-plugin. Unlike go-plugin's own runner it gives the
// process a group, sends its standard error straight to a file, which outlives
// the host, and notices its end even if a grandchild holds its pipes.
type child struct {
	cmd    *exec.Cmd
	clock  clock.Clock
	log    *os.File // nil: nowhere
	prints printed  // into the log
	held   *confined
	looked bool // at while it runs: its memory or its processes are limited
	stdout *os.File
	done   chan struct{} // closed when the process has ended and its group is gone

	mu     sync.Mutex
	pid    int  // 0: not started
	doomed bool // killed before it started
	full   bool // ended for the memory that it used
	crowd  bool // ended for the processes that it started
}

var _ runner.Runner = (*child)(nil)

// newChild prepares a program that is held by held.
func newChild(p Program, held *confined, at clock.Clock) *child {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	c := &child{cmd: cmd, clock: at, log: p.Log, held: held, looked: p.Allowance.Memory > 0 || p.Allowance.Processes > 0, done: make(chan struct{})}
	if p.Log != nil {
		cmd.Stderr, c.prints.path, c.prints.limit = p.Log, p.Log.Name(), p.LogLimit
	}
	return c
}

func (c *child) Start(context.Context) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	c.cmd.Stdout = w
	process.OwnGroup(c.cmd)
	var loose []string
	c.cmd, loose, err = c.held.start(c.cmd)
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		c.held.clear()
		return &CommandError{Command: c.cmd.Args, Err: err}
	}
	c.stdout = r
	for _, text := range loose {
		c.note(text)
	}
	c.begun(c.cmd.Process.Pid)
	ended, cut := make(chan struct{}), make(chan struct{})
	go func() { // ends with the process, which closes ended
		c.prints.watch(c.clock, ended)
		close(cut)
	}()
	if c.looked {
		go c.watchUse(ended)
	}
	go func() { // ends with the process, which closes done
		_ = c.cmd.Wait() // the state is in ProcessState
		if c.looked && c.held.full() {
			c.overflow(&c.full)
		}
		c.kill()
		c.held.clear()
		close(ended)
		<-cut
		// Whoever left the group may still hold the pipe; nobody waits for him.
		_ = r.SetReadDeadline(clock.Real.Now().Add(pipeGrace))
		close(c.done)
	}()
	return nil
}

// note writes a line of the host's into the process's log, if it has one.
func (c *child) note(text string) {
	if c.log != nil {
		_, _ = fmt.Fprintf(c.log, "[peregrine: %s]\n", text) // a full disk: the process runs
	}
}

// watchUse ends the process, with all that it has started, when they use too much memory or are too many. It returns
// when the process has ended.
func (c *child) watchUse(ended <-chan struct{}) {
	tick := c.clock.NewTicker(process.WatchTime)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			full, crowd := c.held.full(), c.held.crowded()
			if full {
				c.overflow(&c.full)
			} else if crowd {
				c.overflow(&c.crowd)
			}
			if full || crowd {
				c.kill()
				return
			}
		}
	}
}

// overflow notes what was not enough.
func (c *child) overflow(what *bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what = true
}

// pipeGrace is the time in which what an ended process printed is read.
const pipeGrace = time.Second

// close frees the pipe once go-plugin reads it no more.
func (c *child) close() {
	if c.stdout != nil {
		_ = c.stdout.Close()
	}
}

func (c *child) begun(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pid = pid
	if c.doomed {
		c.held.kill()
		c.send(syscall.SIGKILL)
	}
}

// kill ends the whole group, also one that has not started yet.
func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pid != 0 {
		c.held.kill() // while it can be seen whom the process has started
		c.send(syscall.SIGKILL)
	} else {
		c.doomed = true
	}
}

// look learns whom the process has started, before it is asked to end.
func (c *child) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pid != 0 {
		c.held.look()
	}
}

// terminate asks the whole group to end.
func (c *child) terminate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pid != 0 {
		c.held.look()
		c.send(syscall.SIGTERM)
	}
}

// send sends to the whole group. An error says that nobody is left of it. The caller
// holds the lock.
func (c *child) send(s syscall.Signal) { _ = process.SignalGroup(c.cmd.Process, s) }

// started returns the process id, or 0.
func (c *child) started() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pid
}

func (c *child) Wait(context.Context) error {
	<-c.done
	if c.cmd.ProcessState.Success() {
		return nil
	}
	return errors.New(c.cmd.ProcessState.String())
}

func (c *child) Kill(context.Context) error {
	c.kill()
	if c.started() != 0 {
		<-c.done
	}
	return nil
}

// exited reports whether the process ends within d.
func (c *child) exited(d time.Duration) bool {
	t := c.clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.done:
		return true
	case <-t.C:
		return false
	}
}

func (c *child) Stdout() io.ReadCloser           { return c.stdout }
func (c *child) Stderr() io.ReadCloser           { return io.NopCloser(strings.NewReader("")) } // it goes to the log
func (c *child) Name() string                    { return c.cmd.Path }
func (c *child) Diagnose(context.Context) string { return "" }
func (c *child) ID() string {
	if pid := c.started(); pid != 0 {
		return strconv.Itoa(pid)
	}
	return ""
}

func (c *child) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

func (c *child) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// CommandError says that a command could not be started at all: there is no such
// program, or it may not be executed.
type CommandError struct {
	Command []string
	Err     error
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("cannot start %s: %v", strings.Join(e.Command, " "), e.Err)
}

func (e *CommandError) Unwrap() error { return e.Err }
