package hosting

// A process of this machine.

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// child is a command that runs on this machine. Unlike go-plugin's own runner it gives the process a group, sends its
// standard error straight to a file, which outlives the host, and notices its end even if a grandchild holds its pipes.
type child struct {
	cmd    *exec.Cmd
	clock  clock.Clock
	log    *os.File // nil: nowhere
	prints printed  // into the log
	held   *confined
	looked bool // at while it runs: its memory or its processes are limited
	stdout *os.File
	done   chan struct{} // closed when the process and its group have ended
	id     process.ID

	mu    sync.Mutex
	full  bool          // ended for its use of memory
	crowd bool          // ended for the number of its processes
	seen  process.Usage // when it was last looked at
}

var _ Body = (*child)(nil)

// startChild starts a command that is held by held.
func startChild(command NodeProcess, held *confined, at clock.Clock) (*child, error) {
	cmd := exec.Command(command.Args[0], command.Args[1:]...)
	cmd.Env = command.Environment
	if command.Input != nil {
		cmd.Stdin = command.Input
	}
	c := &child{cmd: cmd, clock: at, log: command.Log, held: held, looked: command.Allowance.Memory > 0 ||
		command.Allowance.Processes > 0, done: make(chan struct{})}
	if c.log != nil {
		cmd.Stderr, c.prints.path, c.prints.limit = c.log, c.log.Name(), command.LogLimit
	}
	if err := c.start(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *child) start() error {
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
	c.id = process.Identify(c.cmd.Process.Pid)
	ended, cut := make(chan struct{}), make(chan struct{})
	go func() { // ends with the process, whose end closes ended
		c.prints.watch(c.clock, ended)
		close(cut)
	}()
	if c.looked {
		go c.watchUse(ended)
	}
	go func() { // ends with the process, and closes done
		_ = c.cmd.Wait() // the state is in ProcessState
		if c.looked && c.held.full() {
			c.overflow(&c.full)
		}
		c.Kill()
		c.held.clear()
		process.AwaitGroup(c.cmd.Process)
		close(ended)
		<-cut
		// A process that left the group may still hold the pipe; the host does not wait for it.
		_ = r.SetReadDeadline(clock.Real.Now().Add(pipeGrace))
		close(c.done)
	}()
	return nil
}

// note writes a line of the host into the process's log, if it has a log.
func (c *child) note(text string) {
	if c.log != nil {
		_, _ = fmt.Fprintf(c.log, "[peregrine: %s]\n", text) // a full disk: the process runs
	}
}

// watchUse ends the process, with all its descendants, when they use too much memory or are too many. It returns when
// the process has ended.
func (c *child) watchUse(ended <-chan struct{}) {
	tick := c.clock.NewTicker(process.WatchTime)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			c.Used() // records it
			full, crowd := c.held.full(), c.held.crowded()
			if full {
				c.overflow(&c.full)
			} else if crowd {
				c.overflow(&c.crowd)
			}
			if full || crowd {
				c.Kill()
				return
			}
		}
	}
}

// overflow records the exceeded limit.
func (c *child) overflow(what *bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what = true
}

// pipeGrace is the time in which the output of an ended process is read.
const pipeGrace = time.Second

// Free closes the pipe.
func (c *child) Free() { _ = c.stdout.Close() } // it was only read

// ID implements Body.
func (c *child) ID() process.ID { return c.id }

// Kill ends the whole group.
func (c *child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.kill() // while its descendants can still be found
	c.send(syscall.SIGKILL)
}

// Look records the descendants of the process, before it is asked to end.
func (c *child) Look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.look()
}

// Terminate asks the whole group to end.
func (c *child) Terminate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.look()
	c.send(syscall.SIGTERM)
}

// send sends a signal to the whole group. An error means that the group has ended. The caller holds the lock.
func (c *child) send(s syscall.Signal) { _ = process.SignalGroup(c.cmd.Process, s) }

// Stdout implements Body.
func (c *child) Stdout() io.ReadCloser { return c.stdout }

// Done implements Body.
func (c *child) Done() <-chan struct{} { return c.done }

// Turn implements Body.
func (c *child) Turn(log string) { c.prints.turn(log) }

// Used implements Body. The kernel reports the time of an ended process, but not its memory (its figure, ru_maxrss,
// includes that of its parent while both share memory): the memory is the last observed value.
func (c *child) Used() process.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
		state := c.cmd.ProcessState
		return process.Usage{CPU: state.UserTime() + state.SystemTime(), Memory: c.seen.Memory}
	default:
	}
	if u := process.Used(c.id.PID); u.Memory > 0 { // an ending process has none
		c.seen = u
	}
	return c.seen
}

// Children implements Body.
func (c *child) Children() bool { return process.Children(c.id.PID) }

// Ending implements Body.
func (c *child) Ending() Ending {
	state := c.cmd.ProcessState
	c.mu.Lock()
	defer c.mu.Unlock()
	return Ending{Text: state.String(), Fault: process.ByFault(state), Full: c.full, Crowd: c.crowd}
}

// CommandError reports that a command could not be started at all: the program is missing, or it may not be executed.
type CommandError struct {
	Command []string
	Err     error
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("cannot start %s: %v", strings.Join(e.Command, " "), e.Err)
}

func (e *CommandError) Unwrap() error { return e.Err }
