// Package launch defines the interface between a host and the launchers of its solvers.
//
// A Launcher starts a solver's process as a Task: on this machine (package local), or on another through its job
// system. Every entry of hosts.yaml is a launcher of package nodes, on the entry's provider of machines; launchers for
// this machine only are registered by name (executive.Launchers). A launcher connects to its tasks, and attaches to
// tasks of other processes by a Handle that is stored in the run's record.
//
// # Lifetimes
//
// A Launcher lives as long as the host that uses it. Close frees its resources and ends no Task: all Tasks have been
// stopped or released before. A Task lives until its process has ended, which Done signals, whether or not a host holds
// it. A Handle outlives its Launcher and the host's process; it names the task until Done, and never names another
// task. The context of Start and Attach bounds the call, not the Task.
package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Launcher starts solvers. Its methods may be called by several goroutines.
type Launcher interface {
	// Name is the name in records and in the setting `launcher`.
	Name() string

	// Start starts a program and returns when it accepts calls. If ctx ends first, or the
	// program fails, Start returns an error and no process is left. A ProgramError means
	// that the program cannot be started at all, now or later.
	Start(ctx context.Context, o TaskSpec) (Task, error)

	// Attach connects to a task that a launcher of the same name started, perhaps in another process, which may have
	// ended. The error is ErrGone if the task has ended; any other error means that its state is unknown. Attach
	// affects neither the task's run nor the host that waits for it. Turn tells a task of a host that has ended its
	// run's folder.
	Attach(ctx context.Context, h Handle) (Task, error)

	// Close frees the launcher's resources. It is called once, when no task is held.
	Close() error
}

// Task is a solver's process. Its methods may be called by several goroutines, but Stop and
// Release once altogether.
type Task interface {
	// Handle names the task for Attach. It is the same at any time.
	Handle() Handle

	// Place is where the task runs, for people.
	Place() Location

	// Conn is the connection to the solver, in package plugin's protocol. It is valid until Stop or Release.
	Conn() grpc.ClientConnInterface

	// Turn declares that the task now serves another run, and prints into the log in its folder. The limit of the log's
	// size is unchanged.
	Turn(folder string)

	// Used returns the resource use of the process until now, or until the last measurement before its end; zero:
	// unknown.
	Used() process.Usage

	// Children reports whether child processes of it live, as far as known.
	Children() bool

	// Done is closed when the process has ended, by itself or not. Its child processes have then ended too, as far as
	// the launcher can end them. After Release it may remain open.
	Done() <-chan struct{}

	// Ending describes the end of the process. Done must be closed. For an attached task it may be unknown.
	Ending() Ending

	// Stop requests the end of the process, waits for grace, and then ends it by force. It returns when Done and the
	// connection are closed.
	Stop(grace time.Duration)

	// Release closes the connection; the task continues.
	Release()
}

// Remote is a Task whose machine may not share the files of this one, and may be taken away.
type Remote interface {
	Task

	// Carry copies the files of a request to the task's machine, makes the run's folder there, and returns the request
	// with the paths of that machine.
	Carry(ctx context.Context, r plugin.Request, d plugin.Description) (plugin.Request, error)

	// Fetch copies the files of the run in a folder back. The error names the files that it did not copy.
	Fetch(ctx context.Context, folder string, d plugin.Description, failed bool) error

	// Skew is the lead of its machine's clock over this one's, as far as measured.
	Skew() time.Duration

	// Leaving is closed when the task's machine will be taken away soon: its run is to go on elsewhere.
	Leaving() <-chan struct{}

	// Outlasted reports whether a run that began on its machine at a time has used nearly all the time for which the
	// machine is lent, and this time is over.
	Outlasted(began time.Time) bool
}

// TaskSpec names a program to start, and the run it is for.
type TaskSpec struct {
	Program    Program
	Slot       string // chosen by a Placer; empty for other launchers
	Folder     string // of the run, on this machine; the program's standard error is written to plugin.LogFile in it
	MaxMessage int    // largest message from or to the solver, bytes; 0: no limit
	LogLimit   int64  // largest size of that file, bytes; a longer one loses its middle; 0: no limit
	Allowance  Allowance
}

// Allowance limits the resources of a solver with its child processes. A launcher that cannot enforce it must document
// that.
type Allowance = process.Allowance

// Program is how a solver's process is started, and its identity for the cache.
type Program struct {
	Command     []string // program and arguments; never passed through a shell
	Environment []string // NAME=value lines, added to the few variables that every solver gets

	// Code is the version of the solver's code, if its authors maintain one. If it is empty, the content of the
	// program's files is used instead.
	Code string
	// Watch notes the state of the files whose hash is in Code. The function that it returns reports whether they were
	// others then, or were written since. Nil: Code depends on no file.
	Watch func() (changed func() error)
	// Version is any other version on which the answers depend, such as the version of a program that the solver calls.
	Version string
}

// Handle names a task. Only its launcher interprets the content.
type Handle = json.RawMessage

// Location is where a task runs, for people and for the record of an answer.
type Location struct {
	Machine string // empty: this machine
	PID     int    // process ID there; 0: unknown
	Block   string // of nodes, by its owner's name for it; empty: none
	Facts   process.MachineFacts
}

func (p Location) String() string {
	text := "process " + fmt.Sprint(p.PID)
	if p.PID == 0 {
		text = "its process"
	}
	if p.Machine != "" {
		text += " on " + p.Machine
	}
	return text
}

// Ending is how a process ended.
type Ending = hosting.Ending

// ErrGone reports that the task of a handle has ended.
var ErrGone = errors.New("the process has ended")

// ProgramError reports a program that cannot be started at all. As this concerns every run of a study, a pool ends the
// study at the first such error.
type ProgramError struct {
	Command []string
	Err     error
}

func (e *ProgramError) Error() string {
	return fmt.Sprintf("cannot start the solver %s: %v; check the command and its permissions",
		strings.Join(e.Command, " "), e.Err)
}

func (e *ProgramError) Unwrap() error { return e.Err }

// Watcher follows files of runs. watchdog.Process implements it.
type Watcher interface {
	// Watch begins to follow files of a run, which need not exist yet.
	Watch(spec history.FileSpec, from ...history.FilePosition) error
	// Unwatch returns when the run's files have been read to their end and all
	// their events have been sent.
	Unwatch(ctx context.Context, run string) error
	// Events returns the channel of the events read. It is closed when the watcher ends.
	Events() <-chan event.Event
}

// Watched is a launcher that watches the files of its tasks itself, on their machines.
type Watched interface {
	Launcher
	Watches() Watcher
}

// Launchers of several machines.

// Placer is a launcher of several machines, each with a number of cores and an amount of memory. Tasks wait for room on
// a machine.
type Placer interface {
	Launcher

	// Place waits until a machine has room for a task, and returns its name, for TaskSpec.Slot. The caller calls
	// release when the task's run has ended, even if it starts none. wait is called with the resource that the
	// task lacks (node, memory or licence), whenever it changes, and the reason for people if there is more to say;
	// it may be nil.
	Place(ctx context.Context, n Need, wait func(lacks, why string)) (slot string, release func(), err error)

	// Room returns the number of tasks of one core that could run at a time now. Changed is closed when the number
	// changes.
	Room() (tasks int, changed <-chan struct{})
}

// LacksNode is the resource that a task lacks while no node has room for it, whatever it needs least.
const LacksNode = "node"

// Need lists the resources that a task needs on its machine.
type Need struct {
	Name      string // of its run, for people
	Component string // of the engine: components share the machines
	Cores     int    // at least 1
	Memory    int64  // bytes; 0: the rest
	Licences  map[string]int
	Handle    Handle // of a task that another host has left: its place is there if it lives; nil: none
	// the machine of its last attempt was lost: it is placed before tasks that wait for the first time
	MachineLost bool
	// Time returns how long runs of the component take without an interruption; 0: not known. The machine is one that
	// is lent for so long, or has just come. It is called while the task waits, and may be nil
	Time  func() time.Duration
	Whole bool // the machine has just come: its run was interrupted before
	Now   bool // only where there is room now, without waiting: ErrNoRoom
}

// ErrNoRoom is why a task that does not wait is not placed.
var ErrNoRoom = errors.New("no machine has room now")
