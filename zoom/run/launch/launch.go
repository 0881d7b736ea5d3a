// Package launch says what it takes to start solvers somewhere, without saying where.
//
// A Launcher starts a solver's process as a Task: on this machine (package local), or on others
// by whatever starts jobs there. It knows how to reach what it has started, and how to find
// it again from a Handle that is kept in the run's record.
//
// # Lifetimes
//
// A Launcher lives as long as the host that uses it, and Close ends what it holds, not what
// it has started: all Tasks have been stopped or released before. A Task lives until its process has
// ended, which Done says, whether or not anybody holds it. A Handle outlives its Launcher and the
// host's process; it names the task until Done, and is worth nothing afterwards, but never
// names another task. The context of Start and Recover bounds the call alone, not the Task.
package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
)

// Launcher starts solvers. Its methods may be called by several goroutines.
type Launcher interface {
	// Name is the name in records and in the setting `launcher`.
	Name() string

	// Start starts a program and returns when it accepts calls. When ctx ends, or the
	// program does not come up, Start returns an error and nothing of the program is left. A
	// ProgramError says that the program cannot be started at all, now or later.
	Start(ctx context.Context, o Order) (Task, error)

	// Recover finds a task that a launcher of the same name started, perhaps in another
	// process. The error is ErrGone if it has ended, and another if that cannot be found out.
	// Recover changes nothing: the task's run goes on, and so does the host that waits for it.
	Recover(ctx context.Context, h Handle) (Task, error)

	// Close frees what the launcher holds. It is called once, when no task is held.
	Close() error
}

// Task is a solver's process. Its methods may be called by several goroutines, but Stop and
// Release once altogether.
type Task interface {
	// Handle names the task for Recover. It is the same at any time.
	Handle() Handle

	// Place is where the task runs, for people.
	Place() Place

	// Conn is the connection to the solver, which speaks package plugin's protocol. It is
	// valid until Stop or Release.
	Conn() grpc.ClientConnInterface

	// Done is closed when the process has ended, by itself or not, and nothing that it has
	// started is left where the launcher can see to that. After Release it may stay open.
	Done() <-chan struct{}

	// Ending is how the process ended. Done must be closed. Of a task that was recovered
	// that may not be known.
	Ending() Ending

	// Stop ends the process: it asks, waits for grace, and then ends it by force. It
	// returns when Done is closed and the connection is closed.
	Stop(grace time.Duration)

	// Release lets go of a task that goes on, and closes the connection.
	Release()
}

// Order is what to start, for which run.
type Order struct {
	Program    Program
	Folder     string // of the run; the program's standard error goes to plugin.LogFile in it. All places see it by this path
	MaxMessage int    // most bytes in one message from or to the solver; 0: any number
}

// Program is how a solver's process is started, and what makes it another solver.
type Program struct {
	Command     []string // program and arguments; never passed through a shell
	Environment []string // NAME=value lines, besides the few variables that the place gives every solver

	// Code is the version of the solver's code, if its makers keep account of it. If it is
	// empty the content of the program's files counts.
	Code string
	// Version is what else makes its answers its own: the version of a program that the solver
	// calls, for instance.
	Version string
}

// Handle names a task. Its content is the launcher's business.
type Handle = json.RawMessage

// Place is where a task runs, for people: nothing is decided by it.
type Place struct {
	Machine string // empty: this one
	PID     int    // process id there; 0: not known
}

func (p Place) String() string {
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
type Ending struct {
	Text  string // for people, such as "exit status 7"
	Fault bool   // by itself, or by a signal that only its own fault raises, and not because somebody ended it
}

// ErrGone says that a handle names a task that has ended.
var ErrGone = errors.New("the process has ended")

// ProgramError says that a solver's program cannot be started at all. It concerns
// every run of a study, so that a pool gives up on the first one.
type ProgramError struct {
	Command []string
	Err     error
}

func (e *ProgramError) Error() string {
	return fmt.Sprintf("cannot start the solver %s: %v; check the command and its permissions", strings.Join(e.Command, " "), e.Err)
}

func (e *ProgramError) Unwrap() error { return e.Err }
