package run

// The process of a plugin, in a process group of its own, so that whatever it
// starts ends with it, and so that a terminal's Ctrl-C reaches the host alone, which
// then stops its plugins in order.

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

	"github.com/peregrine-sim/peregrine/internal/process"
)

// child runs a command for go-plugin. Unlike go-plugin's own runner it gives the
// process a group, sends its standard error straight to a file, which outlives
// the host, and notices its end even if a grandchild holds its pipes.
type child struct {
	cmd    *exec.Cmd
	log    *os.File
	stdout *os.File
	done   chan struct{} // closed when the process has ended and its group is gone

	mu     sync.Mutex
	pid    int  // 0: not started
	doomed bool // killed before it started
}

var _ runner.Runner = (*child)(nil)

func newChild(cmd *exec.Cmd, log *os.File) *child {
	return &child{cmd: cmd, log: log, done: make(chan struct{})}
}

func (c *child) Start(context.Context) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = nil, w, c.log
	process.OwnGroup(c.cmd)
	err = c.cmd.Start()
	_ = w.Close()
	_ = c.log.Close()
	if err != nil {
		_ = r.Close()
		return &LaunchError{Command: c.cmd.Args, Err: err}
	}
	c.stdout = r
	c.begun(c.cmd.Process.Pid)
	go func() { // ends with the process; done tells
		_ = c.cmd.Wait() // the state is in ProcessState
		c.signal(syscall.SIGKILL)
		// Whoever left the group may still hold the pipe; nobody waits for him.
		_ = r.SetReadDeadline(time.Now().Add(pipeGrace))
		close(c.done)
	}()
	return nil
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
		_ = process.SignalGroup(c.cmd.Process, syscall.SIGKILL)
	}
}

// signal sends to the whole group.
func (c *child) signal(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pid != 0 {
		_ = process.SignalGroup(c.cmd.Process, s)
	} else if s == syscall.SIGKILL {
		c.doomed = true
	}
}

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
	return errors.New(c.ending())
}

func (c *child) Kill(context.Context) error {
	c.signal(syscall.SIGKILL)
	if c.started() != 0 {
		<-c.done
	}
	return nil
}

// exited reports whether the process ends within d.
func (c *child) exited(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.done:
		return true
	case <-t.C:
		return false
	}
}

// ending says for people how the process ended. It must have.
func (c *child) ending() string { return c.cmd.ProcessState.String() }

// byFault reports whether the process ended by itself or by a signal that
// only its own fault raises, and not because somebody killed it.
func (c *child) byFault() bool {
	status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return true
	}
	switch status.Signal() {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT:
		return false
	}
	return true
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

// LaunchError tells that a plugin's command could not be started at all. It
// concerns every run of a study, so a pool gives up on the first one.
type LaunchError struct {
	Command []string
	Err     error
}

func (e *LaunchError) Error() string {
	return fmt.Sprintf("cannot start the solver %s: %v; check the command and its permissions", strings.Join(e.Command, " "), e.Err)
}

func (e *LaunchError) Unwrap() error { return e.Err }
