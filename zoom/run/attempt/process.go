package attempt

// A host starts solvers through a launcher. It checks their descriptions and takes their leases, so that they end when
// the host dies.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/clock"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Host starts the solvers of one study.
type Host struct {
	MaxMessage int   // largest message from or to a plugin, bytes; default plugin.MaxMessage
	LogLimit   int64 // largest part of a solver's output kept in the run folder, bytes; default plugin.LogLimit

	folder    string
	Launcher  launch.Launcher
	launchers launch.Registry // to find runs of earlier studies
	close     sync.Once

	watcher Watcher // nil: none
	router  *router
	mu      sync.Mutex
	streams map[string]*stream // of the runs in progress, by name
	shelf   shelf
	disk    disk
}

// NewHost makes a study's folder, if missing, and opens the launcher with the name. Close the host in the end.
func NewHost(folder string, launchers launch.Registry, name string) (*Host, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(folder) { // requests name the folders of their runs
		return nil, fmt.Errorf("folder of the study: %q is not text in UTF-8; give another one (--work)", folder)
	}
	l, err := launchers.Open(name, folder)
	if err != nil {
		return nil, err
	}
	if err := private.MakeOwn(folder); err != nil {
		return nil, errors.Join(fmt.Errorf("folder of the study: %w", err), l.Close())
	}
	return &Host{MaxMessage: plugin.MaxMessage, LogLimit: plugin.LogLimit, folder: folder, Launcher: l,
		launchers: launchers, streams: map[string]*stream{}}, nil
}

// Folder returns the study's folder.
func (h *Host) Folder() string { return h.folder }

// closeGrace is how long a process that waits for a run may take to end.
const closeGrace = 3 * time.Second

// Close ends the processes that wait for runs, ends Follow and closes the launcher. All pools must have ended.
func (h *Host) Close() error {
	var err error
	h.close.Do(func() {
		h.shelf.clear(closeGrace)
		h.stopFollowing()
		err = h.Launcher.Close()
	})
	return err
}

// Process is a solver that accepts calls. Its owner calls Stop in the end.
type Process struct {
	Client      *plugin.Client
	Description plugin.Description
	Task        launch.Task

	contents func() []string // of its command
	release  func()

	brand    string        // of the shelf where it may wait for another run; empty: it may not wait
	alone    bool          // it starts no processes: its solver is built in
	changed  func() error  // see Unchanged; since before its start
	runs     int           // number of runs made
	resident int64         // bytes in memory after the first run
	used     process.Usage // until the end of the last run
}

// Start starts a solver for a run in a folder, takes a lease on the given terms, and reads its description. It fails
// when ctx ends or limits.Start passes. The error is a launch.ProgramError if the program cannot be started at all,
// otherwise a StartError.
func (h *Host) Start(ctx context.Context, program launch.Program, folder string, t plugin.Terms,
	limits Limits) (*Process, error) {
	return h.startIn(ctx, "", program, folder, t, limits)
}

// startIn is Start in a slot of the launcher, if the launcher has slots.
func (h *Host) startIn(ctx context.Context, slot string, program launch.Program, folder string, t plugin.Terms,
	limits Limits) (*Process, error) {
	limits = limits.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, limits.Start)
	defer cancel()
	order := launch.TaskSpec{Program: program, Slot: slot, Folder: folder, Allowance: limits.Allowance,
		LogLimit: cmp.Or(limits.Log, h.LogLimit), MaxMessage: h.MaxMessage}
	if order.LogLimit != plugin.LogLimit {
		order.Program.Environment = append(slices.Clone(program.Environment),
			fmt.Sprintf("%s=%d", plugin.EnvLogLimit, order.LogLimit))
	}
	p := &Process{contents: run.ContentsOf(program.Command)}
	var err error
	p.Task, err = h.Launcher.Start(ctx, order)
	if err == nil {
		if err = p.greet(ctx, t, limits.Reply); err != nil {
			p.Stop(0)
		}
	}
	var programError *launch.ProgramError
	switch {
	case errors.As(err, &programError):
		return nil, programError
	case err != nil:
		return nil, &StartError{Command: program.Command, Log: record.LastOutput(folder), ContextErr: ctx.Err(),
			Err: err}
	}
	p.used = p.Task.Used()
	return p, nil
}

// spent returns the resource use of the run that has ended. It is unknown for a process that has ended with its run.
func (p *Process) spent() process.Usage {
	run := p.Task.Used()
	before := p.used.CPU
	p.used = run
	run.CPU = max(0, run.CPU-before)
	return run
}

// record returns the record of a process that makes a run from now on.
func (h *Host) record(p *Process, program launch.Program) record.ProcessRecord {
	at := p.Task.Place()
	return record.ProcessRecord{
		Launcher: h.Launcher.Name(), Handle: p.Task.Handle(), Maker: run.MakerAt(at, p.contents()), PID: at.PID,
		Host: process.Self(), Started: clock.Real.Now().UTC(), Command: program.Command,
		Solver: p.Description.Name + " " + p.Description.Version,
	}
}

// greet takes the lease, and reads and checks the solver's description. Reply is the limit of the solver's replies,
// bytes; 0: the limit in its description.
func (p *Process) greet(ctx context.Context, t plugin.Terms, reply int) error {
	p.Client = plugin.NewClient(p.Task.Conn())
	var err error
	if p.release, err = p.Client.Lease(ctx, t); err != nil {
		return err
	}
	if p.Description, err = p.Client.Describe(ctx); err != nil {
		return err
	}
	if reply > 0 {
		p.Client.Bound(reply)
	}
	return p.Description.Check()
}

// Stop ends the process, by force after grace, and returns when it has ended.
func (p *Process) Stop(grace time.Duration) {
	p.Task.Stop(grace)
	if p.release != nil {
		p.release()
	}
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.Task.Done() }

// closedWithin reports whether a channel is closed within a time.
func closedWithin(done <-chan struct{}, within time.Duration) bool {
	if within > 0 {
		late := clock.Real.NewTimer(within)
		defer late.Stop()
		select {
		case <-done:
		case <-late.C:
		}
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// StartError reports that a solver's process started but did not accept calls.
type StartError struct {
	Command    []string
	Log        string // its last output
	ContextErr error  // context.DeadlineExceeded if it was too slow, context.Canceled if the study ended
	Err        error
}

func (e *StartError) Error() string {
	text := fmt.Sprintf("solver %s did not come up: %v", e.Command[0], e.Err)
	if e.ContextErr != nil {
		text += fmt.Sprintf(" (%v)", e.ContextErr)
	}
	if e.Log != "" {
		text += "; it printed: " + e.Log
	}
	return text
}

func (e *StartError) Unwrap() error { return e.Err }
