package plugin

// The interface that the author of a solver implements, and its arguments and results.

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Solver computes one operating point at a time.
type Solver interface {
	// Describe returns the solver's description. It is called before each run and must be
	// quick.
	Describe() Description

	// Run solves the request and writes its files into Request.Folder and nowhere else. It
	// calls emit from one goroutine as it proceeds, at least with kind event.Iteration and
	// the values "iteration" and "residual"; study, run, sequence, time and source are set by
	// this package, and values that are not finite are moved to NonFinite.
	//
	// When ctx ends, Run returns within seconds with the values of its next checkpoint and
	// class event.Killed, or another that fits better; context.Cause(ctx) is the reason.
	// A run that did not converge returns a Result with its class, not an error.
	// An error means that the run could not begin; its class becomes event.Crashed. One of the machine, such as
	// that of a full disk, ends the study.
	Run(ctx context.Context, req Request, emit func(event.Event)) (Result, error)
}

// Controller is a Solver that does not steer and some of whose inputs or settings may be set while it runs: its
// description's Controls. SetControl is called from another goroutine than Run, with a value that the description
// allows. (This package stops every solver by ending the context of Run.)
type Controller interface {
	SetControl(name string, value float64) error
}

// Request holds the inputs and settings of one operating point.
type Request struct {
	Study   string               `json:"study"`
	Run     string               `json:"run"`
	Folder  string               `json:"folder"` // absolute path of the run folder
	Numbers map[string]float64   `json:"numbers,omitempty"`
	Arrays  map[string][]float64 `json:"arrays,omitempty"`
	Texts   map[string]string    `json:"texts,omitempty"`

	// Commands are given to Steer before the run begins, of a solver that steers.
	Commands []steer.Command `json:"commands,omitempty"`

	// Rules are those that the run judges itself, as text; see package zoom/steer/insitu. This package does that, for
	// a solver that steers.
	Rules string `json:"-"`

	// Steer is the run's registry; nil: nobody steers, and it is never armed. A solver whose description says Steers
	// adds its objects, and then calls Armed and Obey at its safe points, the first time before its first iteration.
	Steer *steer.Registry `json:"-"`

	// Sensors are those of the description, for a solver that steers; nil: nobody wants to know.
	Sensors Sensors `json:"-"`
}

// Sensors are what observes a run. Each thread of the solver asks for its own.
type Sensors interface {
	Sensor(name, thread, block string) sensor.Taker
}

// Result is how a run ended, and its values.
type Result struct {
	Class   event.Class          `json:"class"`
	Message string               `json:"message,omitempty"` // why, for people
	Numbers map[string]float64   `json:"numbers,omitempty"`
	Arrays  map[string][]float64 `json:"arrays,omitempty"`

	// MachineFault says that the run failed for the machine's sake, as for a full disk: others would, too.
	MachineFault bool `json:"machine_fault,omitempty"`
}

var (
	// ErrStopped is the cause of a run's context after a stop command.
	ErrStopped = errors.New("stopped on request")
	// ErrHostLost is the cause of a run's context after the host died.
	ErrHostLost = errors.New("the host is gone")
	// ErrNotRunning answers a command that came while nothing ran.
	ErrNotRunning = errors.New("no run goes on")
)
