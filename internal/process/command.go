package process

// A program that is run to its end by a plugin process, such as a step of a described solver.

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Exec is a program to be run. It stays in the process group of this process, unless Group is set: the end of the group
// then ends it, too.
type Exec struct {
	Words       []string // program and arguments
	Folder      string   // its working folder
	Environment []string // all of it
	Input       *os.File // nil: none
	Output      *os.File // for its output, errors as well
	Errors      *os.File // for its errors; nil: Output
	Group       bool     // it has its own group, so that a terminal's Ctrl-C does not reach it
	Patience    time.Duration
	Began       func(*Running) // called after its start; may be nil
	Whole       bool           // on Linux: all that it has started has ended when Run returns
}

// Run runs the program to its end. When ctx ends, the program gets SIGTERM, and after Patience it is killed with all
// its descendants. Where the system supports it, it is also killed when this process dies. The error reports that it
// could not be started.
func (c *Exec) Run(ctx context.Context) (*os.ProcessState, error) {
	// The system treats the end of the thread that started it as the end of the parent.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(c.Words[0], c.Words[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Folder, c.Environment, c.Output, c.Output
	if c.Errors != nil {
		cmd.Stderr = c.Errors
	}
	if c.Input != nil {
		cmd.Stdin = c.Input
	}
	if c.Group {
		OwnGroup(cmd)
	}
	endWithParent(cmd)
	var rest *orphans
	if c.Whole {
		rest = adopt()
	}
	if err := programs.start(cmd); err != nil {
		return nil, err
	}
	defer programs.remove(cmd.Process.Pid)
	running := newRunning(cmd.Process)
	if c.Began != nil {
		c.Began(running)
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() { // ends with the program
		defer close(stopped)
		select {
		case <-ended:
		case <-ctx.Done():
			c.stop(running, ended)
		}
	}()
	_ = cmd.Wait() // the state has the error
	close(ended)
	<-stopped
	rest.end()
	return cmd.ProcessState, nil
}

// programs are the numbers of the programs that this process runs.
var programs = numbers{all: map[int]bool{}}

type numbers struct {
	mu  sync.Mutex
	all map[int]bool
}

// start starts a program. No caller of has sees it running and does not find its number.
func (n *numbers) start(cmd *exec.Cmd) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := cmd.Start()
	if err == nil {
		n.all[cmd.Process.Pid] = true
	}
	return err
}

func (n *numbers) remove(pid int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.all, pid)
}

func (n *numbers) has(pid int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all[pid]
}

// stop ends a program with all its descendants.
func (c *Exec) stop(r *Running, ended <-chan struct{}) {
	r.tree.Look()
	_ = r.process.Signal(syscall.SIGTERM) // fails where it has just ended, or the system has no such signal
	r.GoOn()
	late := clock.Real.NewTimer(c.Patience)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	}
	r.tree.Kill()
	_ = r.process.Kill() // where no process table exists
}
