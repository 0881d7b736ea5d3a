package run

// A host brings solvers up: a launcher starts them, the host makes sure that they are what
// they say, hold to its life, and are on record.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// Host brings up the solvers of one study.
type Host struct {
	MaxMessage int // most bytes in one message from or to a plugin; default plugin.MaxMessage

	folder    string
	launcher  launch.Launcher
	launchers launch.Registry // of earlier studies' runs, too
	close     sync.Once

	watcher Watcher // nil: none
	router  *router
	mu      sync.Mutex
	streams map[string]*stream // of the runs that go on, by run
}

// NewHost prepares a study's folder, which it makes if need be, and the launcher of
// that name. Close it in the end.
func NewHost(folder string, launchers launch.Registry, name string) (*Host, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	l, err := launchers.Open(name, folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("folder of the study: %w", err)
	}
	return &Host{MaxMessage: plugin.MaxMessage, folder: folder, launcher: l, launchers: launchers, streams: map[string]*stream{}}, nil
}

// Folder is the study's folder.
func (h *Host) Folder() string { return h.folder }

// Close ends Follow and closes the launcher. The pools have ended before.
func (h *Host) Close() error {
	var err error
	h.close.Do(func() {
		h.stopFollowing()
		err = h.launcher.Close()
	})
	return err
}

// Process is a solver that is up. Its owner calls Stop in the end.
type Process struct {
	Client      *plugin.Client
	Description plugin.Description
	Task        launch.Task

	release func()
}

// Start starts a solver, takes a lease on the terms given, and asks the solver to describe
// itself. folder/process.json says who it is. When ctx ends, or limit passes, the attempt is
// broken off. Errors: launch.ProgramError if there is no such program, StartError otherwise.
func (h *Host) Start(ctx context.Context, program launch.Program, folder string, t plugin.Terms, limit time.Duration) (*Process, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	task, err := h.launcher.Start(ctx, launch.Order{Program: program, Folder: folder, MaxMessage: h.MaxMessage})
	p := &Process{Task: task}
	if err == nil {
		if err = p.greet(ctx, t); err != nil {
			p.Stop(0)
		}
	}
	var none *launch.ProgramError
	switch {
	case errors.As(err, &none):
		return nil, none
	case err != nil:
		return nil, &StartError{Command: program.Command, Log: tail(folder), Late: ctx.Err(), Err: err}
	}
	return p, h.record(p, program, folder)
}

// greet does what must be done before the first run.
func (p *Process) greet(ctx context.Context, t plugin.Terms) error {
	p.Client = plugin.NewClient(p.Task.Conn())
	var err error
	if p.release, err = p.Client.Lease(ctx, t); err != nil {
		return err
	}
	if p.Description, err = p.Client.Describe(ctx); err != nil {
		return err
	}
	return p.Description.Check()
}

// Stop ends the process, by force after grace, and returns when it is gone.
func (p *Process) Stop(grace time.Duration) {
	p.Task.Stop(grace)
	if p.release != nil {
		p.release()
	}
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.Task.Done() }

// StartError says why a solver that could be started did not become usable.
type StartError struct {
	Command []string
	Log     string // last lines of what it printed
	Late    error  // context.DeadlineExceeded if it was too slow, context.Canceled if it was broken off
	Err     error
}

func (e *StartError) Error() string {
	text := fmt.Sprintf("solver %s did not come up: %v", e.Command[0], e.Err)
	if e.Late != nil {
		text += fmt.Sprintf(" (%v)", e.Late)
	}
	if e.Log != "" {
		text += "; it printed: " + e.Log
	}
	return text
}

func (e *StartError) Unwrap() error { return e.Err }
